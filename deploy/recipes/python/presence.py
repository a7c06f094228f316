# deploy/recipes/python/presence.py
"""Who is there: a file for each process, which goes with its session, whether that ends in good order or by its time."""

from holdfast import fields, text


def present(session, name, directory="there"):
    """For `with`: while the block runs, the name is in the list. A second process of that name is refused."""
    options = ("DISPOSITION", "OPENIF", "DELETEONCLOSE")
    return session.open(f"{directory}/{name}", ["READ", "DELETE"], ["READ"], *options)


def who(session, directory="there"):
    names, marker = [], ()
    while marker is not None:
        more, rows = session.send("FILE.LIST", directory, *marker)
        names += [text(fields(row)["name"]) for row in rows]
        marker = ("MARKER", more) if more is not None else None
    return names
