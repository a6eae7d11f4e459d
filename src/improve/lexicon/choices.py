"""Choices that exclude each other: a project that follows one member of a family does not follow another."""

from __future__ import annotations

FAMILIES = """
package manager: npm pnpm yarn bun deno
package runner: npx bunx pnpx
python package manager: pip poetry uv conda pipenv pdm rye
javascript test runner: jest vitest mocha jasmine ava karma qunit
python test runner: pytest unittest nose
java test runner: junit testng kotest spock
.NET test runner: xunit nunit mstest
php test runner: phpunit pest
ruby test runner: rspec minitest
mocking library: mockk mockito easymock powermock sinon moq nsubstitute
component test library: react-testing-library enzyme react-test-renderer
browser test tool: playwright cypress selenium puppeteer webdriverio testcafe nightwatch
case: camel-case pascal-case snake-case kebab-case upper-case
indentation: tab-indent space-indent
quotes: single-quote double-quote
line ending: lf-ending crlf-ending
python formatter: black yapf autopep8
python linter: ruff flake8 pylint
javascript formatter: prettier biome dprint standardjs
javascript linter: eslint tslint oxlint
python type checker: mypy pyright pyre
frontend framework: react vue angular svelte solidjs preact ember
meta framework: next nuxt remix gatsby astro sveltekit
state library: redux zustand mobx jotai recoil pinia vuex xstate
styling: tailwind css-modules styled-components emotion sass bootstrap less inline-style
component library: material-ui shadcn chakra antd mantine
data access: orm raw-sql
orm: prisma drizzle typeorm sequelize sqlalchemy eloquent hibernate mikro-orm knex sqlmodel
database: postgres mysql sqlite mongodb mariadb dynamodb
backend service: convex supabase firebase appwrite
node server: express fastify nestjs koa hono
python server: fastapi flask django tornado sanic
api style: rest-api graphql grpc trpc
http client: axios fetch ky superagent
python http client: python-requests httpx aiohttp urllib3
schema library: zod yup joi valibot superstruct typebox
date library: dayjs date-fns moment luxon
bundler: vite webpack rollup parcel esbuild turbopack
monorepo tool: turborepo nx lerna rush
module system: esm commonjs
export style: named-export default-export
import style: absolute-import relative-import
import timing: static-import dynamic-import
function form: arrow-function function-keyword
type form: interface type-alias
type annotation: explicit-type type-inference
paradigm: functional-style oop
component form: function-component class-component
rendering: server-render=server-component client-render
router: app-router pages-router
inheritance: composition inheritance
variable keyword: const-keyword let-keyword
concurrency: async-await callback-style promise-then
history: rebase merge-commit squash
test placement: near-code separate-folder
test timing: test-driven code-then-test
answer length: concise detailed
answer language: english chinese japanese korean german french spanish portuguese russian italian
comment purpose: why-comment what-comment
path handling: pathlib ospath
string building: f-string percent-format
search tool: ripgrep grep
shell: bash zsh fish powershell
container tool: docker podman
infrastructure tool: terraform pulumi cdk cloudformation ansible
cloud: aws gcp azure
hosting: vercel netlify heroku cloudflare
commit tense: imperative-mood past-tense
cpu pattern: monolith microservice
ios ui: swiftui uikit
apple concurrency: combine-framework async-await
android ui: jetpack-compose xml-layout
flutter state: bloc riverpod getx
error style: exception result-type
logging: print-call logger
docstring style: google-style numpy-style sphinx-style
java build: maven gradle
cpp build: cmake bazel meson
rust async runtime: tokio async-std
time zone: utc local-time
spelling: american british
theme: dark-mode light-mode
editor mode: vim emacs
null handling: null undefined
identifier: uuid autoincrement
autonomy: ask-user=approval proceed
"""
"""One family a line: what kind of choice it is, then its members (canonical words of concepts.py)."""

DEPENDENT = frozenset({"case", "answer language", "import timing", "inheritance"})
"""Families whose members exclude each other only when the rules speak of the same subject."""

LOOSE = frozenset({"answer length", "logging", "error style", "cloud", "hosting", "http client"})
"""Families whose members often live side by side: they exclude each other only where the rest is alike."""

SUBJECTS = """
function class component file variable constant hook plugin store branch commit test module package
directory enum interface-type method field column table route endpoint page type parameter prop event
service model script image comment docstring readme message name query database document title heading label
header icon button form skill agent command migration template schema worker job container server client
line import export error log response reply line-length pull-request issue release tag version dependency
config secret key api nesting coverage code
"""
"""What a rule can be about; the same words about another subject make another rule."""

ECOSYSTEMS = """
python: python pip poetry uv pytest mypy ruff black django flask fastapi sqlalchemy pydantic bandit pandas
  pyproject
javascript: javascript typescript npm pnpm yarn bun node jest vitest eslint prettier react vue angular next
  zod tsx jsx
rust: rust cargo clippy tokio serde rustfmt
go: golang gofmt gosec goroutine
java: java maven gradle junit mockito spring lombok
kotlin: kotlin mockk kotest coroutine
swift: swift swiftui uikit xcode combine-framework
csharp: csharp dotnet blazor xunit nunit nuget linq
php: php composer laravel phpunit symfony drupal phpstan psalm eloquent
ruby: ruby rails rspec rubocop bundler
cpp: cpp cmake clang
lua: lua stylua
elixir: elixir phoenix mix
dart: dart flutter
shell: bash zsh fish shellcheck powershell
terraform: terraform ansible bicep
"""
"""Programming worlds; the same wording for another one is another rule."""
