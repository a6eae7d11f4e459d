"""Synonyms: words and phrases that mean one thing in a rule for a coding agent.

One concept a line: its name, then what people write for it (`_` joins the words of a phrase). Every word is
stemmed when the table is read, so one form is enough.
"""

from __future__ import annotations

from functools import lru_cache

from improve.lexicon.tables import rows_of
from improve.lexicon.terms import TERMS
from improve.lexicon.words import stem

CONCEPTS = """
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
remove: delete erase discard drop_out strip eliminate get_rid_of cleanup clean_up purge
update: refresh revise sync bring_up_to_date up_to_date
run: execute launch rerun re_run invoke
execute-order: order
check: verify validate_that confirm_that double_check inspect examine look_at make_sure_of review
  verification recheck
validate: validation sanity_check
sanitize: sanitise clean_everything escape cleanse
look: search lookup look_for scan seek locate hunt grep_for browse find
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
unrelated: out_of_scope adjacent surrounding_code neighbouring unconnected unasked unrequested not_asked
scope: ask_for requested_change
broken: not_working work_already if_it_works fix_it
follow: adhere respect honor honour stick_to conform comply obey match in_line_with consistent_with
  stay_with
consistent: consistency uniform uniformly uniformity homogeneous
pattern: convention idiom standard practice guideline established style way_things_are_done
codebase: code_base repository repo project source_tree
function: functions method func routine procedure
variable: var vars variables
class: classes
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
concise: brief terse succinct briefly shortly to_the_point short_answer no_fluff laconic tersely
filler: fluff preamble pleasantry praise flattery apology sycophantic chatter small_talk
detailed: verbose thorough elaborate comprehensive in_depth lengthy long_form verbosely
direct: blunt straight upfront_answer
emoji: emojis emoticon smiley
em-dash: em_dash em_dashes emdash long_dash
response: reply answer output_message responses respond
question: clarify clarifying clarification unclear ambiguous ambiguity in_doubt uncertain unsure
ask-user: ask_the_user ask_me ask_first ask_before check_with ask_for_permission ask_permission confirm_with
  ask_for_confirmation user_confirm user_asks explicit_permission seek_approval without_asking stop_and_ask
  get_approval wait_for_approval await_approval ask_user consult
approval: approve permission confirmation consent sign_off go_ahead ok confirm explicit_request
  authorization_from
proceed: just_do_it don't_ask_permission autonomously without_confirmation
guess: assume assumption presume speculate make_up hallucinate
plan: planning proposal propose blueprint outline
before: prior beforehand ahead_of first
after: afterwards following_the upon_completion once_done
test: tests spec specs test_case test_cases testing
test-suite: suite test_suite suites whole_suite full_suite
unit-test: unit_test unit_tests unit_testing
e2e-test: e2e end_to_end end2end
integration-test: integration_test integration_tests
regression-test: regression_test regression_tests regression
coverage: test_coverage code_coverage covered
test-driven: tdd write_the_test_before write_tests_before write_a_test_before failing_test
  test_driven_development red_green red_test tests_before_implementation test_before_implementation
  write_tests_first write_test_first write_the_test_first write_a_test_first tests_go_first
  test_first_development test_first_approach
code-then-test: tests_afterwards add_tests_after tests_after_implementation write_the_code_first
  implement_first tests_come_later
fail: failure failing red_phase broken_test
pass: green succeed all_green
finish: complete done completion finalize wrap_it_up
task: work_item todo ticket job_to_do
mock: mocks mocking stub stubs stubbing fake faked faking test_double
real: actual live genuine real_world
external: third_party outside remote_service remote
fixture: fixtures
behavior: behaviour functionality observable
implementation-detail: implementation_detail implementation_details internals how_it_works not_how
edge-case: edge_case edge_cases boundary_case corner_case boundary_condition
input: inputs user_supplied user_provided everything_users_send untrusted_data
user: users customer end_user person human
secret: credential credentials api_key api_keys token_secret password passwords private_key sensitive_data
  service_role_key sensitive
hardcode: hard_code hardcoded hard_coded magic_number magic_string inline_value literal_value
env-variable: environment_variable environment_variables env_var env_vars dotenv env env_file env_files
configuration: config settings_file configure configs
error: exception_thrown errors err
exception: exceptions throw raise
catch: try_catch try_except swallow
error-handling: error_handling handle_errors handle_error
log: logging logger logs
early-return: early_return early_returns return_early guard_clause guard_clauses bail_out exit_early
  early_exit fail_fast
nesting: nested nest deep_nesting deeply_nested indentation_level
immutable: immutability immutably read_only_data fresh_copy new_object
mutate: mutation mutating mutable in_place
pure: side_effect_free purity
side-effect: side_effect side_effects
single-responsibility: single_responsibility srp one_thing single_purpose one_job only_one_responsibility
  do_one_thing one_responsibility single_concern
separation: separation_of_concerns separate_concerns decouple decoupled
functional-style: functional_programming functional_pattern functional_patterns functional_style
  functional_approach declarative_programming
oop: object_oriented object_orientation oop_style
function-component: functional_component functional_components function_component function_components
class-component: class_component class_components class_based_component
server-component: server_component server_components rsc
client-component: client_component client_components use_client
server-render: ssr server_side_rendering server_side_render server_rendered render_on_the_server ssg
  static_site_generation
client-render: csr spa client_side_rendering single_page_app client_side_fetching renders_client_side
lazy-load: lazy_load lazy_loading lazy code_splitting code_split dynamic_loading
memoization: memoize usememo usecallback react.memo memo cache_computation
re-render: rerender re_render re_renders unnecessary_render unnecessary_rerender
performance: perf fast speed efficient efficiency optimize optimise optimization performant
responsive: responsive_design mobile_first mobile
accessibility: a11y accessible wcag aria screen_reader
import: imports importing imported bring_in require_statement
barrel: barrel_file barrel_files index_re_export re_export reexport re_exports re_exporting ballel
type-only-import: import_type type_imports type_only_imports type_only
named-export: named_export named_exports
default-export: default_export default_exports
absolute-import: absolute_import absolute_imports absolute_path_import path_alias import_alias alias_import
  @alias
relative-import: relative_import relative_imports relative_path_import
static-import: static_import static_imports
dynamic-import: dynamic_import dynamic_imports
esm: es_module es_modules esmodule import_syntax import_export_syntax ecmascript_module esm_pattern
commonjs: common_js cjs require_call module.exports
arrow-function: arrow_function arrow_functions fat_arrow
function-keyword: function_declaration function_declarations function_keyword named_function
type: types typing
type-inference: infer_types inferred_type inferred_types type_inference
explicit-type: explicit_type explicit_types explicitly_typed type_annotation type_annotations type_hint
  type_hints annotate_types declare_the_type return_type return_types
type-alias: type_alias type_aliases
interface: interfaces
any-type: any_type ts_any as_any
const-keyword: const
let-keyword: let
async-await: async_await async asynchronous await asyncio
promise-then: then_chain promise_chain
callback-style: callbacks callback
dependency-injection: dependency_injection inject_dependency inject_dependencies injected
  injection_of_dependencies
repository-pattern: repository_pattern
composition: compose_over composition_over_inheritance
inheritance: inherit subclassing
dependency: package_dependency dependencies third_party_package external_library library
package: packages
install: installation
version: versions
lockfile: lock_file lockfiles
commit: commits commit_message committing
commit-message: commit_message commit_messages commit_subject
conventional-commit: conventional_commit conventional_commits semantic_commit
branch: branches feature_branch topic_branch
pull-request: pr prs pull_request pull_requests merge_request mr
push: pushing force_push
merge: merging
revert: undo roll_back rollback restore reset_hard
destructive: irreversible dangerous data_loss destroy rm_rf
git-status: git_status working_tree_state working_tree_status
git-add-all: git_add_all git_add_a git_add_dot
ci: continuous_integration pipeline_check
lint: linter linting lint_error
format: formatter formatting autoformat
type-check: typecheck type_check type_checker type_checking
build: compile compilation compiling
deploy: deployment release_to ship rollout
release: changelog_release publish
migration: migrations schema_change schema_changes
database: db databases datastore
orm: object_relational
raw-sql: raw_sql raw_query raw_queries plain_sql handwritten_sql raw_database_query
sql-injection: sql_injection string_concatenation concatenate_sql
parameterized: parameterised prepared_statement bind_values bind_parameter bind placeholders_in_sql
  parameterize
index-db: db_index
query: queries sql_query
fetch: data_fetching fetching
api: apis
endpoint: route_handler endpoints api_route api_routes
route: routes routing
rate-limit: rate_limiting rate_limit rate_limits throttle throttling
schema: schemas
zod-schema: zod_schema
state: state_management store_state
form: forms
style: styling
css-modules: css_modules css_module
inline-style: inline_style inline_styles
react-testing-library: react_testing_library rtl testing_library
react-test-renderer: react_test_renderer
react-hook-form: react_hook_form
styled-components: styled_components
date-fns: date_fns
camel-case: camelcase lowercamelcase camel_case
pascal-case: pascalcase uppercamelcase pascal_case uppercamel capwords
snake-case: snake_case snakecase lower_case_with_underscores lowercase_with_underscores underscore_separated
kebab-case: kebab_case kebabcase separated_by_hyphens lowercase_with_dashes separated_by_dashes
  hyphenated_lowercase dash_case lower_case_with_hyphens hyphen_separated dashed
upper-case: upper_snake_case screaming_snake_case upper_case all_caps constant_case uppercase
tab-indent: tabs tab_character
space-indent: spaces
single-quote: single_quote single_quotes
double-quote: double_quote double_quotes
semicolon: semicolons
trailing-comma: trailing_comma trailing_commas
curly-brace: curly_brace curly_braces braces curly_bracket
line: lines loc lines_of_code
character: char chars characters
level: levels deep
percent: percentage
column: columns
line-length: line_length max_line line_width column_limit max_columns line_lengths maximum_line wrap_line
  wrap_lines lines_should_not_exceed max_line_length print_width
maximum: max at_most no_more_than not_exceed exceed up_to no_longer_than upper_limit stay_under stay_below
  less_than
minimum-of: at_least or_higher no_less_than min
near-code: colocate co_locate colocated co_located co_location colocation next_to_the_implementation
  next_to_the_code alongside_the_code next_to_source beside_the_source placed_next_to
separate-folder: separate_folder tests_folder top_level_tests separate_directory
pathlib: pathlib.path path_object path_objects
ospath: os.path
f-string: f_string f_strings
logger: logging_library structured_logging
print-call: print_statement print_statements console.log print
google-style: google_style
numpy-style: numpy_style
english: en_us
chinese: mandarin zh
active-voice: active_voice
passive-voice: passive_voice passive
present-tense: present_tense
imperative-mood: imperative_mood imperative_tense imperative_form
full-sentence: full_sentence full_sentences complete_sentence complete_sentences
full-stop: full_stop period
heading: headings header title
utc: coordinated_universal
local-time: local_time localtime
dark-mode: dark_mode dark_theme
light-mode: light_mode light_theme
ripgrep: rg
raw-html: dangerouslysetinnerhtml innerhtml
global-state: global_state global_variable global_variables globals
constant: constants const_value named_constant
dead-code: dead_code unused_code commented_out_code
unused: not_used
backwards-compatible: backwards_compatible backward_compatible backwards_compatibility
  backward_compatibility breaking_change
accurate: correct precise correctly
example: examples sample
modular: modularity modularization modularize modularise modularisation
maintain: maintainability maintainable
readable: readability legible clarity clear
independent: isolated isolation standalone
screenshot: screenshots screen_capture
worktree: work_tree
own: yourself
agent: ai assistant llm
subagent: sub_agent sub_agents
template: boilerplate
root-cause: root_cause underlying_cause
workaround: hack quick_fix band_aid bandaid
warning: warnings
ownership: owned_by
"""

FLIPPED = {"immutable": "mutate", "deduplicate": "duplicate", "pure": "side-effect", "yagni": "over-engineer"}
"""Concepts that say no to another one: `immutable` is read as `mutate`, forbidden."""


@lru_cache(maxsize=1)
def single() -> dict[str, str]:
    """Map the stem of each single word to its concept (a concept's own name included)."""
    names = {concept: concept for concept, _ in _members() if "-" in concept}
    return names | {stems[0]: concept for concept, stems in _members() if len(stems) == 1}


@lru_cache(maxsize=1)
def phrases() -> dict[str, tuple[tuple[tuple[str, ...], str], ...]]:
    """Map the first stem of each phrase to its phrases (longest first) with their concept."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for concept, stems in _members():
        if len(stems) > 1:
            found.setdefault(stems[0], []).append((stems, concept))
    return {first: tuple(sorted(rows, key=lambda row: -len(row[0]))) for first, rows in found.items()}


def _members() -> list[tuple[str, tuple[str, ...]]]:
    rows: list[tuple[str, tuple[str, ...]]] = []
    for concept, members in rows_of(CONCEPTS) + rows_of(TERMS):
        for member in (concept, *members):
            rows.append((concept, tuple(stem(word) for word in member.replace("-", "_").split("_") if word)))
    return rows


def concept_of(word: str) -> str:
    """Give the concept a single word stands for (its stem, when it has none)."""
    return single().get(stem(word), stem(word))
