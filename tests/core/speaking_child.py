"""A child for test_child_process.py: does what its first argument says."""

from __future__ import annotations

from advisor.core.child_process import claim_stdout

EVENTS = claim_stdout()

import os  # noqa: E402 - after the claim
import signal  # noqa: E402 - after the claim
import subprocess  # noqa: E402 - after the claim
import sys  # noqa: E402 - after the claim
import time  # noqa: E402 - after the claim


def say(text: str) -> None:
    EVENTS.write(text.encode() + b"\n")


def echo() -> None:
    for line in sys.stdin.buffer:
        EVENTS.write(line)


def print_too() -> None:
    print("a user's print")
    say("the event")


def flood() -> None:
    for number in range(50_000):
        say(str(number))


def half() -> None:
    say("whole")
    EVENTS.write(b'{"cut off')
    os.kill(os.getpid(), signal.SIGKILL)


def fail() -> None:
    message = "on purpose"
    raise RuntimeError(message)


def deaf() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say("listening to nothing")
    time.sleep(600)


def family() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    say(str(child.pid))
    time.sleep(600)


def forked() -> None:
    pid = os.fork()
    if pid == 0:
        time.sleep(600)
    say(f"{pid}\nlast words")  # At once: whoever has read the first line may kill it before a second write.
    time.sleep(600)


def shadow() -> None:
    import json

    say(str(json.__file__))


def stuck() -> None:
    say("not reading")
    time.sleep(600)


if __name__ == "__main__":
    {
        "echo": echo,
        "print": print_too,
        "flood": flood,
        "half": half,
        "fail": fail,
        "deaf": deaf,
        "family": family,
        "forked": forked,
        "shadow": shadow,
        "stuck": stuck,
    }[sys.argv[1]]()
