"""Synonyms of what rules ask for in general (form and use: concepts.py)."""

from __future__ import annotations

SYNONYMS = """
simple: straightforward easy plain uncomplicated simplest simplicity basic simplify kiss simplistic
  least_complicated
small: smallest minimal minimum tiny little short narrow narrowest minimise compact smaller smallish few
  fewest as_few_as_possible
big: large huge giant massive monolithic oversized bloated sprawling larger
focused: focus tightly_scoped targeted
change: edit modify modification alter adjustment edits diff patch alteration touch rework
create: new_up introduce generate produce invent scaffold craft anew
write: author compose
add: include append insert supply attach
remove: delete erase discard drop_out strip eliminate get_rid_of purge
update: refresh revise sync bring_up_to_date up_to_date
run: execute launch rerun re_run invoke
execute-order: order
check: verify validate_that confirm_that double_check inspect examine look_at make_sure_of review
  verification recheck
validate: validation sanity_check
sanitize: sanitise clean_everything escape cleanse
look: search lookup look_for scan seek hunt grep_for browse find
exist: existing already_there already_exist already_have current present
reuse: reusable reusability reused extend build_on iterate_on leverage
duplicate: duplication duplicated repetition repeat repeated copy_paste copy_and_paste redundant duplicative
  twice
deduplicate: dry dont_repeat_yourself don't_repeat_yourself do_not_repeat_yourself extract_repeated
  extract_common extract_shared extract_duplicated deduplication
extract: factor_out pull_out hoist split_out move_out
split: break_down break_up break_into decompose divide separate_into breakdown
helper: utility util utilities helper_function
abstraction: abstract indirection generalize generalization
premature: speculative hypothetical early too_early too_soon upfront future_proof what_if just_in_case
over-engineer: overengineer overengineering over_engineering over_engineered overengineered gold_plating
  over_complicate overcomplicate
yagni: you_aren't_gonna_need_it you_ain't_gonna_need_it don't_need_right_now not_need_yet
  beyond_current_requirement
refactor: restructure reorganize reorganise rewrite rearchitect
unrelated: out_of_scope adjacent surrounding_code neighbouring unconnected unasked unrequested
scope: ask_for asked_for was_asked is_asked requested_change
broken: work_already if_it_works fix_it
follow: adhere respect honor honour stick_to conform comply obey match in_line_with consistent_with
  stay_with
consistent: consistency uniform uniformly uniformity homogeneous
pattern: convention idiom standard practice guideline established way_things_are_done
codebase: code_base repository repo project source_tree
function: functions method func routine procedure
variable: var vars variables
class: classes
clean: tidy neat clean_up cleanup
robust: resilient reliable reliability
security: secure securely
safe: safety safely
architecture: architectural
organize: arrange organise organization
preserve: retain keep_intact leave_untouched leave_intact untouched
replace: substitute swap replacement
intentional: deliberate deliberately purposeful
unnecessary: needless superfluous gratuitous
excessive: too_many overly too_much
translation: translate localization localize i18n l10n internationalization
guide: guidance tutorial
typo: misspelling spelling
suggest: recommend recommendation suggestion
decision: decide
choice: select selection
risk: danger hazard
understand: comprehend grasp
developer: engineer programmer
separate: distinct
incremental: incrementally iterative step_by_step small_steps
loop: for_loop while_loop
condition: conditional if_statement if_else
frontend: front_end
backend: back_end
regex: regular_expression regexp
crash: panic blow_up
telemetry: observability tracing monitoring
expose: leak
protect: guard
authentication: auth authenticate login sign_in
authorization: authorize
encrypt: encryption
stable: stability
placeholder: dummy
diagram: chart
polite: courteous friendly
honest: candid truthful frank honesty
disagree: push_back challenge object_to
jargon: buzzword hyperbole hyperbolic
newline: line_break
whitespace: trailing_whitespace white_space
import-order: sort_imports organize_imports import_order sorted_imports group_imports
wildcard: star_import import_star glob_import
upgrade: bump
pin: exact_version
artifact: build_output build_artifact
boundary: edge
unsafe: insecure
verbose-log: noisy
experiment: prototype spike
hypothesis: theory
measure: benchmark profile
compatible: compatibility
override: overwrite
timestamp: datetime
indent: indentation indented
what-comment: describe_what explain_what what_code_does what_the_code_does what_it_does comment_what
terminal: console shell_prompt
stdout: standard_output
notification: alert
popup: modal dialog
navigation: navbar menu
pagination: paginate paging
optional: nullable
enum: enumeration union_literal
struct: record
closure: lambda anonymous_function
decorator: annotation
middleware: interceptor
singleton: global_instance
transaction: atomic_write
deadlock: race_condition
memory-leak: memory_leak resource_leak
feature: capability
bug: issue problem defect
fix: repair resolve solve address
start: begin commence kick_off
implement: coding develop implementation write_code writing_code code_it start_coding
tell: inform notify report mention flag_it surface_it let_me_know communicate
wait: pause hold_off hold_on await_my
full: entire whole complete_set
relevant: related pertinent affected
necessary: needed essential
multiple: several many
allow: permit
show: display
move: relocate
legacy: old outdated stale deprecated obsolete out_of_date
shared: common
try: attempt
manual: by_hand manually hand_edit hand_written
automatic: automatically automated auto
during: while_running
location: place
persist: save
data: information info
stop: halt cease
problem-space: domain
maintainer: owner
session: conversation chat
context: background
history: past
reviewer: reviewers code_reviewer
link: url hyperlink
tool: tools tooling
command: commands cli_command shell_command
debug: debugging troubleshoot diagnose
generated-file: auto_generated autogenerated generated_file generated_code
stage: staging staged
flaky: nondeterministic non_deterministic intermittent
deterministic: reproducible repeatable
assert: assertion assertions
circular: cyclic cycle
strict: strict_mode
snapshot: snapshots
production: prod
development: dev
temporary: temp tmp throwaway scratch
progress: status_update
speculate-api: invented_api nonexistent
fallback: fallbacks
silent: silently quietly
retry: retries
timeout: time_out
cache: caching cached
concurrent: parallel concurrency simultaneous
thread: threads
virtual-env: venv virtualenv virtual_environment
source-of-truth: source_of_truth single_source_of_truth ssot
feature-flag: feature_flag feature_flags feature_toggle
breakpoint: breakpoints media_query
color: colour colors
token-budget: context_window
license: licence
binary: binaries
requirement: requirements
specification: specs_document
acceptance: acceptance_criteria
human-review: human_in_the_loop
component: components
file: files
folder: directory directories folders dir
parameter: argument arg args params param
return-value: return_value return_values
name: naming named names identifier call_things
descriptive: meaningful clear_name self_explanatory_name expressive intention_revealing reveal_purpose
  reveal_intent reveal_their_purpose understandable
abbreviation: abbreviate abbreviated acronym shorten short_form abbr
purpose: intent intention meaning
obvious: self_explanatory self_evident evident trivial_comment restate narrate say_what already_say
  already_tell
non-obvious: not_obvious nonobvious unobvious subtle tricky complex_logic not_clear isn't_clear hidden
  complex complicated intricate
self-documenting: self_documenting self_documented speak_for_itself code_speak readable_code
comment: comments commenting inline_comment annotation_comment code_comment remark
docstring: docstrings jsdoc tsdoc javadoc kdoc doc_comment doc_block docblock phpdoc
document: documentation docs doc documenting
explain: explanation explanatory justify describe rationale reason give_the_reason
why-comment: not_what why_not_what only_why the_why explain_why
summary: summarize summarise recap summaries summarization sum_up wrap_up
concise: brief terse succinct briefly to_the_point short_answer no_fluff laconic tersely
filler: fluff preamble pleasantry praise flattery apology sycophantic chatter small_talk
detailed: verbose thorough elaborate comprehensive in_depth lengthy long_form verbosely
direct: blunt straight upfront_answer
emoji: emojis emoticon smiley
em-dash: em_dash em_dashes emdash long_dash
response: reply answer output_message responses respond
ask-user: ask question clarify clarifying clarification if_unclear requirement_unclear ambiguous ambiguity
  in_doubt uncertain unsure not_sure ask_the_user ask_me ask_first ask_before check_with ask_for_permission
  ask_permission confirm_with ask_for_confirmation user_confirm user_asks explicit_permission seek_approval
  without_asking stop_and_ask get_approval wait_for_approval await_approval ask_user consult
approval: approve permission confirmation consent sign_off go_ahead wait_for_an_ok my_ok an_ok
  explicit_request authorization_from
proceed: just_do_it autonomously without_confirmation
guess: assume assumption presume speculate make_up hallucinate
plan: planning proposal propose blueprint outline intend intended_change what_you_will_do going_to_do
  approach_you
before: prior beforehand ahead_of first
after: afterwards following_the upon_completion once_done
"""
