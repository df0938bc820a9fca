"""Files that only the server's user may read, written at once."""

import os
import tempfile
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Write a file in place of an earlier one. Its owner is that of its folder, whoever writes it.

    Raises:
        OSError: it cannot be written.

    """
    handle, part = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)  # for its owner only
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if (
            hasattr(os, "geteuid") and os.geteuid() == 0
        ):  # the server, which reads it, may have a user of its own
            owner = path.parent.stat()
            os.chown(part, owner.st_uid, owner.st_gid)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
