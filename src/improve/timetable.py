"""The scheduled run as each system's own scheduler wants it: cron, systemd, launchd. Pure.

Formats: https://man7.org/linux/man-pages/man5/crontab.5.html,
https://www.freedesktop.org/software/systemd/man/latest/systemd.timer.html, launchd.plist(5).
"""

from __future__ import annotations

from typing import NamedTuple
from xml.sax.saxutils import escape

NAME = "agent-improvement"
LABEL = "io.github.agent-improvement.scan"
MARK = f"# {NAME}: scheduled scan"
"""How our line in a crontab is known."""


class Job(NamedTuple):
    """What runs, and when."""

    program: tuple[str, ...]
    """The command with its arguments, by absolute path."""
    hour: int
    minute: int
    weekday: int | None = None
    """0 for Sunday to 6; None for every night."""
    env: tuple[tuple[str, str], ...] = ()
    """Variables that name the store where it is not the usual one."""


def cron_line(job: Job) -> str:
    """Give the line of a crontab; a percent sign would end the command there, and what goes wrong is mailed."""
    day = "*" if job.weekday is None else str(job.weekday)
    env = "".join(f"{name}={_quoted(value)} " for name, value in job.env)
    command = (env + " ".join(map(_quoted, job.program))).replace("%", "\\%")
    return f"{job.minute} {job.hour} * * {day} {command} >/dev/null {MARK}"


def without_ours(crontab: str) -> str:
    """Give a crontab without our lines; every other byte stays."""
    kept = [line for line in crontab.splitlines(keepends=True) if not line.rstrip("\r\n").endswith(MARK)]
    return "".join(kept)


def with_ours(crontab: str, job: Job) -> str:
    """Give a crontab with exactly one line of ours, at its end."""
    before = without_ours(crontab)
    before += "\n" if before and not before.endswith("\n") else ""
    return f"{before}{cron_line(job)}\n"


def systemd_service(job: Job) -> str:
    """Give the unit that runs the scan; specifiers and variables are escaped."""
    env = "".join(f"Environment={_unit_text(f'{name}={value}')}\n" for name, value in job.env)
    return (
        f"[Unit]\nDescription=Read what people corrected in their coding agents ({NAME})\n\n"
        f"[Service]\nType=oneshot\nNice=10\n{env}ExecStart={' '.join(map(_unit_word, job.program))}\n"
    )


def systemd_timer(job: Job) -> str:
    """Give the unit that says when; a run that was missed while the machine slept is made up for."""
    day = "" if job.weekday is None else f"{('Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat')[job.weekday]} "
    when = f"{day}*-*-* {job.hour:02}:{job.minute:02}:00"
    return (
        f"[Unit]\nDescription=When {NAME} runs\n\n"
        f"[Timer]\nOnCalendar={when}\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n"
    )


def launchd_plist(job: Job) -> str:
    """Give the property list of a launch agent."""
    arguments = "".join(f"    <string>{escape(word)}</string>\n" for word in job.program)
    names = {"Hour": job.hour, "Minute": job.minute} | ({} if job.weekday is None else {"Weekday": job.weekday})
    when = "".join(f"    <key>{key}</key>\n    <integer>{value}</integer>\n" for key, value in names.items())
    pairs = "".join(f"    <key>{escape(k)}</key>\n    <string>{escape(v)}</string>\n" for k, v in job.env)
    env = f"  <key>EnvironmentVariables</key>\n  <dict>\n{pairs}  </dict>\n" if pairs else ""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
        f'<plist version="1.0">\n<dict>\n  <key>Label</key>\n  <string>{LABEL}</string>\n'
        f"  <key>ProgramArguments</key>\n  <array>\n{arguments}  </array>\n{env}"
        f"  <key>StartCalendarInterval</key>\n  <dict>\n{when}  </dict>\n</dict>\n</plist>\n"
    )


def _quoted(word: str) -> str:
    from shlex import quote

    return quote(word)


def _unit_word(word: str) -> str:
    """Quote a word of a command in a unit file: `$` begins a variable there."""
    return _unit_text(word.replace("$", "$$"))


def _unit_text(text: str) -> str:
    """Quote a text in a unit file: `%` means something there."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{plain}"'
