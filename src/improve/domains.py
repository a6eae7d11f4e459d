"""Guess the domain of a rule from its words; a guess is only ever offered, never stored by itself."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from improve.lexicon.features import prepare
from improve.lexicon.look import concept_of, rarity
from improve.lexicon.tables import rows_of

WORDS = """
python-tooling: pip=4 poetry=4 uv=4 conda=4 pipenv=4 pipx=4 virtual-env=4 pyproject=3 pyenv=3 mypy=3
  pyright=3 ruff=3 python=2 wheel=1 pytest=1 black=2 install=1 interpreter=2 tox=3 nox=3
git-practices: git=3 commit=3 commit-message=4 conventional-commit=4 branch=3 push=2 rebase=4 merge=2
  squash=3 pull-request=3 git-status=4 git-add-all=4 stash=3 amend=3 worktree=2 tag=1 revert=1 cherry-pick=3
  gitignore=2 upstream=1 history=1 hunk=2
security: secret=4 security=4 sanitize=3 sql-injection=4 parameterized=2 xss=4 csrf=4 encrypt=3
  vulnerability=4 owasp=4 untrust=3 expose=2 pii=4 escape=2 hash=2 credential=4 input=1 protect=1 unsafe=1
  redact=3 leak=2 permission=1
code-style: style=3 format=3 lint=3 tab-indent=4 space-indent=3 indent=4 indentation=4 single-quote=4
  double-quote=4 semicolon=4 line-length=4 trailing-comma=4 camel-case=4 pascal-case=4 snake-case=4
  kebab-case=4 upper-case=3 name=2 descriptive=2 abbreviation=2 early-return=4 nesting=3 const-keyword=3
  let-keyword=3 arrow-function=4 function-keyword=4 explicit-type=3 type-inference=3 any-type=3 mutate=2
  function=1 small=1 comment=2 dead-code=2 single-responsibility=2 curly-brace=4 type-alias=3 f-string=3
  readable=2 loop=1 duplicate=1 constant=2 hardcode=2 magic=2 prettier=3 eslint=3 functional-style=3 oop=3
  variable=1 whitespace=3 newline=2 early=1
error-handling: error=3 exception=4 catch=3 error-handling=5 retry=3 fallback=2 crash=3 silent=2 throw=3
  timeout=2 backoff=3 stacktrace=3 traceback=3 log=1 recover=2 result-type=3 fail=1 bare=1 rethrow=4
  graceful=2
testing: test=3 unit-test=5 e2e-test=5 integration-test=5 regression-test=5 test-suite=5 test-driven=5
  code-then-test=4 coverage=4 mock=4 fixture=4 assert=3 jest=4 vitest=4 pytest=4 playwright=3 cypress=4
  flaky=4 snapshot=2 edge-case=2 junit=4 deterministic=1 phpunit=4 rspec=4 mocha=4 fake=2
documentation: document=4 readme=5 changelog=5 docstring=5 diagram=2 guide=2 heading=2 wiki=3 manual=1
  markdown=2 comment=1 tutorial=3 adr=3
communication: response=4 concise=2 explain=2 summary=3 emoji=4 em-dash=3 filler=4 tone=4 ask-user=4
  approval=2 guess=2 english=3 german=3 french=3 spanish=3 chinese=3 japanese=3 korean=3 russian=3
  portuguese=3 tell=3 polite=4 honest=3 disagree=3 proceed=2 detailed=1 direct=1 unclear=2 jargon=3
  apology=3 greeting=3 speak=3 talk=3 chat=2 word=1
tool-usage: npm=4 pnpm=4 yarn=4 bun=4 npx=4 bunx=4 make=1 tool=3 command=2 shell=3 terminal=2 mcp=4 docker=2
  cli=2 jq=4 curl=3 bash=2 install=1 package=1 just=1 makefile=3 script=1 cargo=2 gradle=3 maven=3
  subagent=2 background=1
search-patterns: ripgrep=5 grep=5 look=2 fd=4 find-command=4 glob=3 ast-grep=5 exist=1 index=1 codebase=1
auth-architecture: authentication=5 authorization=5 oauth=5 jwt=5 sso=5 saml=5 rbac=5 session=2 cookie=3
  role=2 permission=2 clerk=4 auth0=5 passkey=5 refresh-token=5 token=2 tenant=2 guard=1
import-patterns: import=4 barrel=5 absolute-import=5 relative-import=5 named-export=5 default-export=5 esm=4
  commonjs=4 type-only-import=5 static-import=5 dynamic-import=4 circular=3 alias=2 import-order=5
  wildcard=2 export=3
file-structure: folder=4 file=1 near-code=4 separate-folder=4 organize=2 structure=2 structur=2 root=2
  location=2 move=1 layout=1 place=1 belong=1 src=2 subfolder=4
api-design: api=3 endpoint=4 rest-api=4 graphql=4 grpc=4 route=2 openapi=5 rate-limit=3 pagination=4
  payload=3 request=2 status=1 json=1 http=2 version=1 url=2 idempotent=3 webhook=3 header=1 controller=2
database-queries: database=4 query=4 sql=4 orm=4 raw-sql=5 migration=4 transaction=3 join=2 prisma=4
  sqlalchemy=4 drizzle=4 table=2 column=2 index=2 postgres=4 sqlite=3 mysql=4 mongodb=4 schema=1 n+1=4
  eager=2 row=1 parameterized=2 repository-pattern=3 typeorm=4 sequelize=4 eloquent=4 knex=4 select=1
  foreign=1
ui-components: component=3 react=3 vue=3 angular=3 svelte=3 tailwind=4 css=4 css-modules=4
  styled-components=4 hook=2 prop=3 jsx=4 button=4 modal=2 popup=4 form=2 server-component=4
  client-component=4 function-component=5 class-component=5 render=2 re-render=3 memoization=2
  accessibility=3 responsive=4 dark-mode=4 icon=3 layout=2 shadcn=5 color=2 animation=3 tooltip=4
  inline-style=4 frontend=2 ui=3 sass=3 mobile=2 state=1 spinner=3
config-management: configuration=4 env-variable=4 setting=3 toml=2 yaml=2 feature-flag=4 default=1
  hardcode=1 constant=1 flag=1
deployment: deploy=5 ci=3 production=3 kubernetes=4 terraform=4 helm=4 stage=2 docker=2 release=3 rollback=3
  revert=1 container=2 pulumi=4 vercel=3 netlify=3 environment=1 pipeline=3 canary=4 version=1 server=1
  image=1 bump=1 upgrade=1
workflow: plan=3 task=2 step=1 start=1 finish=1 todo=2 checklist=2 scope=2 small=1 refactor=1 worktree=1
architecture: architecture=4 layer=3 dependency-injection=4 separation=3 module=1 composition=3
  microservice=5 monolith=5 coupling=3 boundary=2 service=1 repository-pattern=3 single-responsibility=2
  modular=2 hexagonal=5
data-viz: chart=4 diagram=2 plot=5 axis=4 legend=4 matplotlib=5 seaborn=5 plotly=5 d3=4 histogram=5
  heatmap=5
data-quality: data=2 validate=1 null=2 duplicate=1 outlier=5 missing=2 dataset=3 clean=1 deduplication=2
data-strategy: data=2 retention=4 ownership=1 governance=5 strategy=2
data-sources: data=2 csv=2 source=2 dataset=2 feed=2 crawl=3 scrape=4
data-patterns: data=2 etl=5 pipeline=2 batch=2 stream=2 dataframe=4 pandas=4 polars=4 parquet=4
"""
"""For each domain its telling words (concepts of the lexicon) with how strongly they speak for it."""

ENOUGH = 3.0
"""Points below which nothing is guessed."""
MARGIN = 1.35
"""How many times as many points as the second domain the first must have."""


def guess(text: str, domains: Collection[str]) -> tuple[str, float] | None:
    """Name the likely domain of a rule among *domains*, with how sure it is (0 to 1); None when unsure.

    >>> guess("Write a regression test for every bug you fix", ["testing", "git-practices"])
    ('testing', 0.83)
    """
    points = _points(text, domains)
    ranked = sorted(points, key=lambda domain: (-points[domain], domain))
    if not ranked or points[ranked[0]] < ENOUGH:
        return None
    first = points[ranked[0]]
    second = points[ranked[1]] if len(ranked) > 1 else 0.0
    if first < MARGIN * second:
        return None
    return ranked[0], round(first / (first + second) * first / (first + 1.0), 2)


def strengths(word: str) -> dict[str, float]:
    """Say for which domains a concept speaks, and how strongly."""
    return _words().get(word, {})


def _points(text: str, domains: Collection[str]) -> dict[str, float]:
    """Add up what each word says, the heaviest clause counting most; a word said in passing counts less."""
    rule = prepare(text)
    table = _words()
    points: dict[str, float] = {}
    for word, weight in rule.weights.items():
        full = rarity(word)
        for domain, strength in table.get(word, {}).items():
            if domain in domains:
                points[domain] = points.get(domain, 0.0) + strength * (weight / full if full else 1.0)
    for number in rule.numbers:
        for domain, strength in table.get(number.unit, {}).items():
            if domain in domains:
                points[domain] = points.get(domain, 0.0) + strength
    said = frozenset(rule.weights)
    for domain in domains:
        if domain not in _known() and _named(domain, said):
            points[domain] = points.get(domain, 0.0) + ENOUGH
    return points


def _named(domain: str, said: frozenset[str]) -> bool:
    """Say whether a rule has all the words of a domain's name (`data-mesh`)."""
    words = [concept_of(word) for word in domain.casefold().replace("_", "-").split("-") if word]
    return bool(words) and all(word in said for word in words)


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    return frozenset(domain for domain, _ in rows_of(WORDS))


@lru_cache(maxsize=1)
def _words() -> dict[str, dict[str, float]]:
    """Map each telling word to the domains it speaks for."""
    found: dict[str, dict[str, float]] = {}
    for domain, members in rows_of(WORDS):
        for member in members:
            word, _, strength = member.rpartition("=")
            found.setdefault(concept_of(word), {})[domain] = float(strength)
    return found
