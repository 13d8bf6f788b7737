"""Entries in one SQLite file, each with its digest: a damaged one is never shown, a damaged file is kept aside."""

from __future__ import annotations

import bz2
import contextlib
import hashlib
import os
import sqlite3
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from advisor.core.records import Record
from advisor.core.sentences import Reason

APPLICATION_ID = 0x41445653  # "ADVS": another program's database is never taken for ours
VERSION = 1
BUSY_TIMEOUT_S = 20.0
_CREATE = """
CREATE TABLE IF NOT EXISTS entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    created_utc TEXT NOT NULL,
    head BLOB NOT NULL,
    head_digest BLOB NOT NULL,
    body BLOB NOT NULL,
    body_digest BLOB NOT NULL
) STRICT
"""
_CREATE_INDEX = """
CREATE INDEX IF NOT EXISTS heads ON entries (kind, id, created_utc, head, head_digest, body_digest)
"""
"""Holds all that a list needs: without it each head costs the pages of the body that stands before its digest."""
_HEAD_COLUMNS = "id, kind, created_utc, head, head_digest, body_digest"
_CHECKED_WHOLE_BYTES = 32 * 1024 * 1024
"""A larger file is not read whole at each opening: every entry has its digest, and SQLite tells of broken pages."""
_BODY_PACKINGS = (b"BZh", bz2.decompress), (b"x", zlib.decompress)
"""By what a packed body begins with; bz2 packed those of earlier versions."""


class Entry(Record, frozen=True, kw_only=True):
    """One entry without its body."""

    entry_index: int
    kind: str
    created_utc: str
    head: bytes


def _head_digest(kind: str, created_utc: str, head: bytes, body_digest: bytes) -> bytes:
    parts = (kind.encode("utf-8", "surrogateescape"), created_utc.encode("utf-8", "surrogateescape"), head, body_digest)
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).digest()


def _head_is_whole(kind: object, created_utc: object, head: object, head_digest: object, body_digest: object) -> bool:
    """Whether a row's head is what was written; a damaged page may give any type back."""
    if not (isinstance(kind, str) and isinstance(created_utc, str)):
        return False
    if not (isinstance(head, bytes) and isinstance(body_digest, bytes)):
        return False
    return _head_digest(kind, created_utc, head, body_digest) == head_digest


def _body_is_whole(body: object, body_digest: object) -> bool:
    return isinstance(body, bytes) and hashlib.sha256(body).digest() == body_digest


class Store:
    """The entries of one file, or of memory where no file can be had; `problems` says what happened.

    Every write is one transaction that is on the disk when the call returns. Two programs may use the file
    at once: SQLite's lock orders them, each waiting up to 20 s.
    """

    def __init__(self, path: Path | None) -> None:
        """Open or create the file; a damaged one is renamed, and what of it is whole is carried over."""
        self.problems: list[Reason] = []
        self.path = path
        self.read_only = False
        self._database = self._open(path)

    def close(self) -> None:
        """Close the file; every acknowledged entry is already on the disk."""
        self._database.close()

    def add(self, kind: str, head: bytes, body: bytes, created_utc: str) -> int:
        """Append an entry and return its id. Raises sqlite3.Error (disk full, locked): the old file is intact."""
        # A tenth of the time of bz2 at half as much again, and read back twenty times as fast.
        packed = zlib.compress(body)
        body_digest = hashlib.sha256(packed).digest()
        row = (kind, created_utc, head, _head_digest(kind, created_utc, head, body_digest), packed, body_digest)
        with self._transaction() as cursor:
            cursor.execute(
                "INSERT INTO entries (kind, created_utc, head, head_digest, body, body_digest) VALUES (?,?,?,?,?,?)",
                row,
            )
            return int(cursor.lastrowid or 0)

    def entries(self, kind: str) -> list[Entry]:
        """All whole entries of a kind, newest first; a damaged one is left out and told of in `problems`."""
        try:
            return self._whole_entries(kind)
        except (sqlite3.DatabaseError, UnicodeError) as error:
            if not self._begun_anew_after(error):
                return []
            return self._whole_entries(kind)

    def _whole_entries(self, kind: str) -> list[Entry]:
        entries = []
        query = f"SELECT {_HEAD_COLUMNS} FROM entries WHERE kind = ? ORDER BY id DESC"  # noqa: S608 - a constant
        for number, row_kind, created_utc, head, head_digest, body_digest in self._database.execute(query, (kind,)):
            if _head_is_whole(row_kind, created_utc, head, head_digest, body_digest):
                entries.append(Entry(entry_index=number, kind=row_kind, created_utc=created_utc, head=head))
            else:
                self._note(Reason.of("history-entry-damaged", entry=number))
        return entries

    def body(self, entry_index: int) -> bytes | None:
        """The body of an entry, or None where it is gone or damaged."""
        try:
            row = self._database.execute(
                "SELECT body, body_digest FROM entries WHERE id = ?", (entry_index,)
            ).fetchone()
        except (sqlite3.DatabaseError, UnicodeError) as error:
            self._begun_anew_after(error)
            row = None
        if row is None:
            return None
        if not _body_is_whole(*row):
            self._note(Reason.of("history-entry-damaged", entry=entry_index))
            return None
        return next((unpack(row[0]) for begin, unpack in _BODY_PACKINGS if row[0].startswith(begin)), None)

    def remove(self, entry_index: int) -> None:
        """Delete an entry."""
        with self._transaction() as cursor:
            cursor.execute("DELETE FROM entries WHERE id = ?", (entry_index,))

    def remove_before(self, kind: str, created_utc: str) -> int:
        """Delete the entries of a kind that are older than a moment, give their room back, return how many."""
        with self._transaction() as cursor:
            cursor.execute("DELETE FROM entries WHERE kind = ? AND created_utc < ?", (kind, created_utc))
            removed = cursor.rowcount
        if removed:
            self._database.execute("VACUUM")
        return removed

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Cursor]:
        cursor = self._database.cursor()
        cursor.execute("BEGIN IMMEDIATE")
        try:
            yield cursor
        except BaseException:
            self._database.rollback()
            raise
        self._database.commit()

    def _note(self, reason: Reason) -> None:
        if reason not in self.problems:
            self.problems.append(reason)

    def _open(self, path: Path | None) -> sqlite3.Connection:
        if path is None:
            return self._in_memory()
        try:
            _make_private(path)
            return self._checked(path)
        except OSError as error:
            self._note_memory(error.strerror or str(error))
            return self._in_memory()
        except UnicodeError:  # SQLite's own message quoted a damaged schema
            return self._begun_anew(path)
        except sqlite3.DatabaseError as error:
            if _is_damage(error):
                return self._begun_anew(path)
            # Locked for too long, locks that this file system lacks, read-only, full: the file itself is well.
            self._note_memory(str(error))
            return self._copied(path)

    def _begun_anew_after(self, error: Exception) -> bool:
        """What a reading found: damage sets the file aside, as at the opening; anything else is told and left."""
        if self.path is None or self.read_only or not (isinstance(error, UnicodeError) or _is_damage(error)):
            self._note_memory(str(error))
            return False
        self._database.close()
        self._database = self._begun_anew(self.path)
        return True

    def _note_memory(self, detail: str) -> None:
        shown = f"{self.path}: {detail}" if self.path is not None else detail
        self._note(Reason.of("history-in-memory", detail=shown))

    def _checked(self, path: Path) -> sqlite3.Connection:
        """Open a file that is ours and whole. Raises sqlite3.DatabaseError for any other."""
        with contextlib.ExitStack() as closing:
            database = _connect(str(path))
            closing.callback(database.close)
            version = database.execute("PRAGMA user_version").fetchone()[0]
            application = database.execute("PRAGMA application_id").fetchone()[0]
            if version > VERSION and application == APPLICATION_ID:
                self._note(Reason.of("history-newer", version=version, known=VERSION))
                return self._in_memory()
            fresh = application == 0 and not database.execute("SELECT 1 FROM sqlite_master").fetchone()
            ours = application == APPLICATION_ID and _has(database, "entries")
            size = path.stat().st_size
            cut = size % database.execute("PRAGMA page_size").fetchone()[0]
            checked = size > _CHECKED_WHOLE_BYTES or database.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
            if cut or not (fresh or ours) or not checked:
                message = "damaged, or another program's"
                raise _DamagedError(message)
            if fresh or not _has(database, "heads"):  # else nothing has to be written: a reader then waits for no lock
                _prepare(database)
            closing.pop_all()
        return database

    def _copied(self, path: Path) -> sqlite3.Connection:
        """Copy what a file holds that cannot be written into memory: it is seen, and new runs are kept for now."""
        database = self._in_memory()
        _salvage(path, database)
        return database

    def _begun_anew(self, path: Path) -> sqlite3.Connection:
        """Keep the damaged file aside under a dated name, and carry over every entry whose digest is right."""
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        aside = path.with_name(f"{path.name}.damaged-{stamp}")
        try:
            path.rename(aside)
            journal = path.with_name(path.name + "-journal")
            if journal.exists():
                journal.rename(aside.with_name(aside.name + "-journal"))
            _make_private(path)
            database = _connect(str(path))
            _prepare(database)
        except (OSError, sqlite3.Error) as error:
            self._note_memory(str(error))
            return self._in_memory()
        saved = _salvage(aside, database)
        self._note(Reason.of("history-damaged", aside=aside.name, saved=saved))
        return database

    def _in_memory(self) -> sqlite3.Connection:
        self.read_only = self.path is not None
        database = _connect(":memory:")
        _prepare(database)
        return database


def _connect(name: str) -> sqlite3.Connection:
    database = sqlite3.connect(name, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    _readable(database)
    # FULL: an entry that was acknowledged survives a power cut.
    database.execute("PRAGMA synchronous = FULL")
    return database


def _for_reading(path: Path) -> sqlite3.Connection:
    """A file as it stands, whatever locks are on it or fail: each entry's digest tells what was being written."""
    name = f"{path.resolve().as_uri()}?mode=ro&nolock=1"
    return _readable(sqlite3.connect(name, uri=True, isolation_level=None, check_same_thread=False))


def _readable(database: sqlite3.Connection) -> sqlite3.Connection:
    """A flipped bit in a text is found by the digest, not by the decoder."""
    database.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    return database


def _prepare(database: sqlite3.Connection) -> None:
    database.execute("BEGIN IMMEDIATE")
    database.execute(_CREATE)
    database.execute(_CREATE_INDEX)
    database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    database.execute(f"PRAGMA user_version = {VERSION}")
    database.execute("COMMIT")


def _has(database: sqlite3.Connection, name: str) -> bool:
    """Whether there is a table or an index of this name."""
    return bool(database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone())


class _DamagedError(sqlite3.DatabaseError):
    """The file is no history of ours, or not whole."""


def _is_damage(error: Exception) -> bool:
    """Whether the file itself is broken: nothing else may set it aside, a lock or a full disk least of all."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return isinstance(error, _DamagedError) or code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def _make_private(path: Path) -> None:
    """Create folder and file for their owner alone, and close a file that others could read."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        return
    if path.stat().st_mode & 0o077:
        with contextlib.suppress(OSError):  # another owner's: read as far as it may be
            path.chmod(0o600)


def _salvage(source: Path, database: sqlite3.Connection) -> int:
    """Copy every entry of `source` whose digests are right; returns how many. A damaged page ends the copy."""
    columns = "kind, created_utc, head, head_digest, body, body_digest"
    saved = 0
    with contextlib.suppress(sqlite3.Error, UnicodeError), contextlib.closing(_for_reading(source)) as old:
        for row in old.execute(f"SELECT {columns} FROM entries ORDER BY id"):  # noqa: S608 - a constant
            kind, created_utc, head, head_digest, body, body_digest = row
            if _body_is_whole(body, body_digest) and _head_is_whole(kind, created_utc, head, head_digest, body_digest):
                database.execute(f"INSERT INTO entries ({columns}) VALUES (?,?,?,?,?,?)", row)  # noqa: S608 - the same
                saved += 1
    return saved
