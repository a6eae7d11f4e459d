"""Each system's own scheduler gets what it can read."""

from __future__ import annotations

import configparser
import plistlib
import shlex

from hypothesis import given
from hypothesis import strategies as st

from improve import timetable
from improve.timetable import Job

JOB = Job(("/home/me/50% off/bin/improve", "schedule", "--run"), 3, 17)
WORDS = st.text(st.characters(blacklist_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1)


def test_a_crontab_line_has_five_fields_and_its_percent_signs_escaped() -> None:
    """An unescaped percent sign would end the command."""
    line = timetable.cron_line(JOB)
    assert line.startswith("17 3 * * * '/home/me/50\\% off/bin/improve' schedule --run >/dev/null #")
    assert timetable.cron_line(JOB._replace(weekday=0)).split()[4] == "0"


@given(WORDS, WORDS)
def test_a_shell_reads_back_what_stands_in_a_crontab(program: str, home: str) -> None:
    """Whatever the paths are called, after cron has taken its own escapes away."""
    line = timetable.cron_line(Job((program,), 0, 0, env=(("STORE", home),)))
    command = line.split(" ", 5)[5].replace("\\%", "%").partition(" >/dev/null")[0]
    assert shlex.split(command) == [f"STORE={home}", program] or "%" in program + home


@given(st.lists(st.sampled_from(["0 5 * * * backup", "# a note", "", "MAILTO=me@example.com", "@reboot x\r"])))
def test_a_crontab_without_our_line_is_as_it_was(lines: list[str]) -> None:
    """Put in twice there is one; taken away, every other byte stands."""
    before = "".join(f"{line}\n" for line in lines)
    after = timetable.with_ours(timetable.with_ours(before, JOB), JOB._replace(hour=4))
    assert after.count(timetable.MARK) == 1
    assert "17 4 " in after
    assert timetable.without_ours(after) == before


def test_a_crontab_without_a_last_line_end_gets_one() -> None:
    """Else our line would be a part of the person's last one."""
    assert timetable.with_ours("0 5 * * * backup", JOB).splitlines()[0] == "0 5 * * * backup"


def test_systemd_units_say_what_and_when() -> None:
    """Specifiers are escaped, and variables where there are any; a run that was missed is made up for."""
    unit = timetable.systemd_service(JOB._replace(env=(("AGENT_IMPROVEMENT_HOME", "/x y/$5 50%"),)))
    assert 'ExecStart="/home/me/50%% off/bin/improve" "schedule" "--run"' in unit
    assert 'Environment="AGENT_IMPROVEMENT_HOME=/x y/$5 50%%"' in unit
    timer = configparser.ConfigParser(interpolation=None)
    timer.read_string(timetable.systemd_timer(JOB._replace(weekday=0)))
    assert timer["Timer"]["OnCalendar"] == "Sun *-*-* 03:17:00"
    assert timer["Timer"]["Persistent"] == "true"


@given(WORDS)
def test_a_property_list_is_read_back(program: str) -> None:
    """Whatever the program is called."""
    job = Job((program, "schedule"), 3, 17, 0, (("STORE", "/a & b"),))
    told = plistlib.loads(timetable.launchd_plist(job).encode())
    assert told["ProgramArguments"] == [program, "schedule"]
    assert told["StartCalendarInterval"] == {"Hour": 3, "Minute": 17, "Weekday": 0}
    assert told["EnvironmentVariables"] == {"STORE": "/a & b"}
