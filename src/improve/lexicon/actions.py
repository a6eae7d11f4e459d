"""What a deed is about: the concepts behind programs, their subcommands and kinds of files."""

from __future__ import annotations

from improve.lexicon.look import concept_of
from improve.lexicon.tables import rows_of, words_of

PROGRAMS = """
pytest: test pytest unit-test
tox: test
nox: test
jest: test jest unit-test
vitest: test vitest unit-test
mocha: test mocha
phpunit: test phpunit
rspec: test rspec
playwright: test e2e-test playwright
cypress: test e2e-test cypress
kubectl: deploy kubernetes
helm: deploy helm kubernetes
terraform: deploy terraform
pulumi: deploy pulumi
vercel: deploy vercel
netlify: deploy netlify
flyctl: deploy
ansible-playbook: deploy
docker: docker container
docker-compose: docker container
podman: docker container
alembic: migration database
flyway: migration database
psql: database postgres query sql
mysql: database mysql query sql
sqlite3: database sqlite query sql
prisma: database prisma
ruff: lint format ruff
black: format black
prettier: format prettier
eslint: lint eslint
flake8: lint
gofmt: format
rustfmt: format
mypy: type-check mypy
pyright: type-check pyright
tsc: type-check typescript
rg: look ripgrep
grep: look grep
ag: look
fd: look fd
find: look find-command
curl: curl http
make: make makefile
gh: pull-request github
rm: remove
"""
"""What running a program is, whatever its arguments say."""

SUBCOMMANDS = """
commit: commit commit-message
push: push
rebase: rebase
merge: merge
branch: branch
checkout: branch
switch: branch
stash: stash
tag: tag
cherry-pick: cherry-pick
revert: revert
worktree: worktree
reset: reset
add: install dependency
install: install dependency
i: install dependency
ci: install dependency
sync: install dependency
remove: dependency
uninstall: dependency
update: dependency upgrade
upgrade: dependency upgrade
test: test unit-test
build: build
run: run
lint: lint
format: format
fmt: format
clippy: lint
deploy: deploy
publish: release publish
release: release
migrate: migration database
pr: pull-request
apply: deploy
"""
"""What the first plain argument says, for programs that do many things."""

MANY_SIDED = words_of(
    "git gh npm pnpm yarn bun deno pip pip3 uv poetry pipenv conda pdm cargo go docker kubectl helm terraform make"
    " just gradle mvn dotnet composer bundle gem mix npx brew apt apt-get manage.py rails artisan"
)
"""Programs whose first argument says what is done; the program alone says little."""

GIT_ONLY = words_of("commit push rebase merge branch checkout switch stash tag cherry-pick revert worktree reset")

INSTALLING = words_of("add install i ci sync require")
"""Arguments with which a package manager puts something in."""

WORLD_OF = """
python: py pyi ipynb
javascript: js jsx ts tsx mjs cjs mts cts vue svelte
go: go
rust: rs
java: java
kotlin: kt kts
ruby: rb
php: php
csharp: cs
cpp: c cc cpp cxx h hpp
swift: swift
dart: dart
elixir: ex exs
lua: lua
shell: sh bash zsh
terraform: tf
"""
"""Endings of files, by programming world."""

KINDS = """
document: md rst adoc
ui: tsx jsx vue svelte css scss html
component: tsx jsx vue svelte
css: css scss sass less
sql: sql
yaml: yml yaml
toml: toml
configuration: yml yaml toml ini env json
"""
"""What else an ending says."""

PLACES = """
test: test tests spec specs __tests__ e2e
component: component components
migration: migration migrations
endpoint: api routes controllers endpoints
readme: readme
changelog: changelog
docker: dockerfile
ci: workflows .github .gitlab-ci
makefile: makefile
"""
"""What a directory, or the name of a file, says."""

ABROAD = """
push: pousse pousser pousses pushe pushen empuja empujar subir envie
commit: committe committer committen commite commitear commits
test: teste tests testes testen prueba pruebas essai
comment: kommentar kommentare kommentiere kommentieren commentaire commentaires comentario comentarios
install: installe installer installiere installieren instala instalar instale
deploy: deploye deployen deployer déploie déployer despliega desplegar veröffentliche
dependency: abhängigkeit abhängigkeiten dépendance dépendances dependencia dependencias
function: funktion funktionen fonction fonctions función funciones
response: antworte antworten antwort réponds répondre réponse responde responder respuesta
branch: zweig branche rama
file: datei dateien fichier fichiers archivo archivos
error: fehler erreur erreurs
database: datenbank
migration: migrationen migraciones
document: dokumentation documentación
"""
"""Words of languages with Latin letters that text in plain ASCII does not give away."""


def _rows(block: str) -> dict[str, tuple[str, ...]]:
    return {name: tuple(map(concept_of, concepts)) for name, concepts in rows_of(block)}


def _inverted(block: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for concept, members in rows_of(block):
        for member in members:
            found[member] = (*found.get(member, ()), concept_of(concept))
    return found


OF_PROGRAM = _rows(PROGRAMS)
OF_SUBCOMMAND = _rows(SUBCOMMANDS)
WORLD = {ending: world for world, endings in rows_of(WORLD_OF) for ending in endings}
OF_ENDING = _inverted(KINDS)
OF_PLACE = _inverted(PLACES)
FROM_ABROAD = {word: concepts[0] for word, concepts in _inverted(ABROAD).items()}
