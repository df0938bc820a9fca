"""Files that only the server's user may read, written at once."""

import os
import tempfile
from pathlib import Path


def write_private(path: Path, data: str | bytes) -> None:
    """Write a file in place of an earlier one. Its owner is that of its folder, whoever writes it.

    Raises:
        OSError: it cannot be written.

    """
    handle, part = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)  # for its owner only
    try:
        with open(handle, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
            file.flush()
            os.fsync(file.fileno())
        give_to_folders_owner(Path(part))
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def give_to_folders_owner(path: Path) -> None:
    """Give a file that root has made to the owner of its folder: the server may have a user of its own.

    Raises:
        OSError: its owner cannot be changed.

    """
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        owner = path.parent.stat()
        os.chown(path, owner.st_uid, owner.st_gid)
