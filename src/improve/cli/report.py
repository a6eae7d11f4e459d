"""improve report."""

from __future__ import annotations

import os

import click

from improve.cli.common import json_option, look_around, merge_what_waits, note, project_option, say
from improve.page.account import Account
from improve.workflow.here import Here

_EXAMPLES = """\b
Examples:
  improve report                              what changed, in about a screen
  improve report --open                       the whole report, in the browser
  improve report --html report.html           as one file that needs no network
  improve report --since 6m --project shop --markdown"""


@click.command("report", epilog=_EXAMPLES)
@click.option("--html", "path", default="", metavar="FILE", help="Write a page; `-` prints it.")
@click.option("--open", "opened", is_flag=True, help="Show the page in the browser.")
@click.option("--force", is_flag=True, help="Replace FILE even when it is no report of ours.")
@click.option("--markdown", is_flag=True, help="Print Markdown, for a pull request.")
@click.option("--since", default="90d", show_default=True, metavar="SPAN", help="12h, 30d, 4w, 6m, 1y or a date.")
@project_option("Tell of this project alone; default: all.")
@json_option
def report_command(
    path: str, opened: bool, force: bool, markdown: bool, since: str, project: str, as_json: bool
) -> int:
    """Show how often agents were corrected and whether rules helped.

    It tells the verdicts as they were measured last and measures nothing itself: improve verify does.
    """
    from improve import report
    from improve.errors import UsageError
    from improve.workflow.reporting import gather

    if sum((bool(path or opened), markdown, as_json)) > 1:
        raise UsageError("--html or --open, --markdown and --json exclude each other; nothing was done. Name one")
    if path == "-" and opened:
        raise UsageError("--html - prints the page, which --open cannot show; nothing was done. Name a file")
    here = look_around()
    if not (why := here.off()):
        merge_what_waits(here)
    account = gather(here, since=since, project=project)
    if as_json:
        from improve.page.data import as_data

        say(report.as_json("report", as_data(account)))
    elif markdown:
        from improve.page.markdown import as_markdown

        say(as_markdown(account), newline=False)
    elif path or opened:
        _page(here, account, path, opened=opened, force=force)
    else:
        from improve.page.plain import as_text

        say(as_text(account))
    if why:
        note(f"{why.partition(';')[0]}; what is recorded can be read all the same")
    return 0


def _page(here: Here, account: Account, path: str, *, opened: bool, force: bool) -> None:
    from improve.workflow import delivering

    data = delivering.page(account)
    if path == "-":
        click.echo(data, nl=False)
        return
    where = os.path.join(here.cwd, path) if path else delivering.own_place(here)
    delivering.write(where, data, force=force)
    size = f"{len(data) / 1000:,.0f} kB"
    if not opened:
        say(f"Wrote {here.short(where)} ({size}).")
    elif delivering.can_show(here) and delivering.show(where):
        say(f"Wrote {here.short(where)} ({size}) and opened it.")
    else:
        say(f"Wrote {here.short(where)} ({size}).")
        note("no browser can be opened here; open that file in one")
