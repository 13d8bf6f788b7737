"""A child for test_child_process.py: does what its first argument says."""

from __future__ import annotations

from advisor.child_process import claim_stdout

EVENTS = claim_stdout()

import os  # noqa: E402 - after the claim
import signal  # noqa: E402 - after the claim
import subprocess  # noqa: E402 - after the claim
import sys  # noqa: E402 - after the claim
import time  # noqa: E402 - after the claim


def say(text: str) -> None:
    EVENTS.write(text.encode() + b"\n")


def main(what: str) -> None:
    if what == "echo":
        for line in sys.stdin.buffer:
            EVENTS.write(line)
    elif what == "print":
        print("a user's print")
        say("the event")
    elif what == "flood":
        for number in range(50_000):
            say(str(number))
    elif what == "half":
        say("whole")
        EVENTS.write(b'{"cut off')
        os.kill(os.getpid(), signal.SIGKILL)
    elif what == "fail":
        message = "on purpose"
        raise RuntimeError(message)
    elif what == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        say("listening to nothing")
        time.sleep(600)
    elif what == "family":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        say(str(child.pid))
        time.sleep(600)
    elif what == "shadow":
        import json

        say(str(json.__file__))
    elif what == "stuck":
        say("not reading")
        time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[1])
