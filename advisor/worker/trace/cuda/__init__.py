"""What a GPU decides where the processor that traces would decide otherwise."""
