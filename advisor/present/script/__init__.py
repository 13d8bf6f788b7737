"""The training script and launch command that follow an advice."""
