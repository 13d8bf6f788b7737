"""Tries Qt in a process of its own and prints one JSON object: `--doctor` reads it, and survives what Qt does not."""

from __future__ import annotations

import json
import sys

from advisor.core.errors import UserFacingError


def main() -> int:
    """Make the application with its fonts, draw nothing."""
    from advisor.gui.application import NoDisplayError, make_application

    try:
        application = make_application()
    except NoDisplayError:
        return _say({"display": False})
    except UserFacingError as error:
        return _say({"text": f"{error.text} {error.remedy}"})
    from advisor.gui.fonts import load_fonts

    return _say({"display": True, "platform": application.platformName(), "fonts": load_fonts()})


def _say(report: dict[str, object]) -> int:
    sys.stdout.write(json.dumps(report) + "\n")
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
