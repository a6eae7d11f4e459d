"""What a tool does, told from the name a host gives it. Light, for a hook asks before every call.

The kinds are those of `session`.
"""

from __future__ import annotations

_NAMES = {
    "shell": """
        bash shell terminal execute executecommand runcommand runterminalcmd runterminalcommand runterminalcommandv2
        runinterminal localshell powershell exec execcommand shellcommand runshellcommand command runtests
    """,
    "edit": """
        edit editfile editfilev2 multiedit strreplace strreplaceeditor strreplacebasededittool replaceinfile
        applydiff applieddiff applypatch patch searchreplace searchandreplace insertcontent insertedit replacestring
        multireplacestring replace hashlineedit editedexistingfile appliededit notebookedit editnotebook undoedit
    """,
    "write": "write writefile createfile writetofile newfilecreated newfile create filecreate deletefile delete",
    "read": """
        read readfile readfilev2 ls glob grep list listfiles listdir listdirectory listfilestoplevel listfilesrecursive
        search searchfiles codebasesearch filesearch grepsearch findfiles findtextinfiles searchcodebase semanticsearch
        ripgreprawsearch globfilesearch listcodedefinitionnames readlints viewfile view finder
    """,
}
HIT = {
    "shell": frozenset({"shell"}),
    "edit": frozenset({"edit", "write"}),
    "write": frozenset({"write"}),
    "any": frozenset({"shell", "edit", "write", "other"}),
}
"""Kinds of calls that a check can hit, by the tool it is about; none is about reading."""
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}


def kind_of(tool: str) -> str:
    """Tell what a tool does from its name.

    >>> kind_of("run_shell_command"), kind_of("apply_patch"), kind_of("TodoWrite")
    ('shell', 'edit', 'other')
    """
    bare = "".join(filter(str.isalnum, tool.lower()))
    return _KINDS.get(bare) or _KINDS.get(bare.removeprefix("copilot")) or "other"
