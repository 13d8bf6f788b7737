"""Write the JSON Schemas of every file format into resources/schemas; --check fails where one is out of date."""

from __future__ import annotations

import argparse
import json
import sys

from advisor.core.bundled import resource
from advisor.cost.scaling.links import interconnect_schema
from advisor.present import schemas as recommend_schemas
from advisor.store import json_file
from advisor.workload.workload import Workload

FOLDER = resource("schemas")


def schemas() -> dict[str, bytes]:
    """File name to content, all generated from the types."""
    interconnect = json.dumps(interconnect_schema(), indent=2, ensure_ascii=False).encode() + b"\n"
    return {
        "advice.schema.json": json_file.schema(),
        "workload.schema.json": json_file.published(Workload, "Workload file"),
        "interconnect.schema.json": interconnect,
        **recommend_schemas.schemas(),
    }


def main() -> int:
    """Write or check; returns 1 where a committed schema differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the committed file differs")
    check = parser.parse_args().check
    FOLDER.mkdir(exist_ok=True)
    stale = []
    for name, content in schemas().items():
        path = FOLDER / name
        if not path.is_file() or path.read_bytes() != content:
            stale.append(name)
            if not check:
                path.write_bytes(content)
    print("stale:" if check else "written:", ", ".join(stale) or "none")
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main())
