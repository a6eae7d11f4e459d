"""Synonyms around code, tests and tools (form and use: concepts.py)."""

from __future__ import annotations

JARGON = """
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
task: work_item ticket job_to_do
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
log: logging logs
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
arrow-function: arrowfunction arrow_function arrow_functions fat_arrow
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
commit: commits committing
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
