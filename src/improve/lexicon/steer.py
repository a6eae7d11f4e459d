"""Words that steer how a rule is read: they turn what follows into a ban, a condition, a reason or an example."""

from __future__ import annotations

from improve.lexicon.tables import words_of

NEGATORS = words_of(
    """
    no not never none neither nor cannot cant dont doesnt didnt isnt arent wont shouldnt mustnt neednt
    can't don't doesn't didn't isn't aren't won't shouldn't mustn't needn't avoid avoids avoiding
    avoided forbid forbids forbidden prohibit prohibits prohibited ban bans banned disallow disallowed
    refrain refuse against zero nothing nobody nowhere
    """
)
"""Words after which the rule speaks of what must not be done, up to the end of the clause."""

AVERTERS = words_of(
    """
    skip skips skipping skipped omit omits omitting omitted stop stops stopping drop drops dropping
    forget forgets forgetting ignore ignores ignoring ignored disable disables disabling disabled bypass
    bypasses bypassing eliminate eliminates minimize minimizes minimise minimizing limit discourage
    discouraged exclude excluding leave leaves neglect remove removes removing delete deletes deleting
    """
)
"""Verbs that turn their object round: `never skip tests` wants tests, `skip the summary` wants none."""

RESET = words_of(
    """
    use uses using prefer prefers favor favour always must should write create keep run choose pick put
    place add but instead call switch ask follow do place store leave return make define import
    """
)
"""Words that end a negation when they open a new part after a comma, a dash or `and`/`but`."""

CONDITION = words_of(
    """
    unless until except if when whenever once where before after while
    """
)
"""Words that open a condition; what follows is neither demanded nor forbidden."""

REMOVERS = words_of("remove removes removing delete deletes deleting")
"""Averters that are also what a rule is about."""

CHOOSERS = words_of("prefer prefers favor favour use choose pick")
"""Verbs after which `over` names what is not wanted."""

REASONS = words_of("because since why reason so ensures prevents improves keeps makes allows")
"""Words that open a reason, which weighs less than the demand."""

AIMS = words_of("avoid prevent improve enhance ensure reduce keep enable maintain facilitate increase")
"""Verbs that open a reason after `to`."""

BEYOND = words_of("over exceed exceeds exceeding beyond above deeper longer more past than maximum")
"""Words that make a negation before a number a limit: `not over 80`."""

BANNED = words_of("banned forbidden prohibited disallowed")
"""Negations that stand behind what they forbid: `var is banned`."""

EXAMPLES = words_of("e.g example eg i.e such")
"""Words that open an example, which weighs little."""

PLACES = words_of("in on at for from within inside during into")
"""Words that open a place: what is forbidden there is not the place itself."""

MODIFIERS = words_of(
    """
    manual automatic graceful sufficient enough implicit explicit exist direct simple small big legacy shared external
    real full separate independent consistent descriptive obvious non-obvious necessary unnecessary relevant multiple
    silent safe clean strict temporary readable accurate public privat global-state optional specifical absolut own
    """
)
"""Concepts that say how, not what: to forbid one thing and to demand another in that manner is no contradiction."""

OTHERS = words_of("instead rather without postnot to")

STEERING = NEGATORS | AVERTERS | RESET | CONDITION | REASONS | BEYOND | EXAMPLES | PLACES | OTHERS
"""All of them, so that a plain word needs one look."""
