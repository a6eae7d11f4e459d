"""Names of tools, languages and products, each with the spellings people use (same form as concepts.py)."""

from __future__ import annotations

TERMS = """
npm: npmjs
merge-commit: merge_commit merge_commits no_ff
lf-ending: lf_line_ending unix_line_ending
crlf-ending: crlf windows_line_ending
mikro-orm: mikroorm
python-requests: requests_library import_requests
percent-format: percent_formatting str.format
past-tense: past_tense
result-type: result_type result_types
sphinx-style: sphinx_style restructuredtext_style
async-std: async_std
xml-layout: xml_layout xml_layouts
yarn: yarnpkg
node: nodejs node.js
next: next.js nextjs
vue: vue.js vuejs
nuxt: nuxtjs nuxt.js
javascript: js ecmascript
typescript: ts
react: reactjs react.js
angular: angularjs
svelte: sveltejs
solidjs: solid.js
express: expressjs express.js
nestjs: nest.js
golang: go_language go's
csharp: c# c_sharp
cpp: c++
dotnet: .net asp.net
postgres: postgresql pg psql
mongodb: mongo mongoose
sqlite: sqlite3
tailwind: tailwindcss tailwind_css
sass: scss
material-ui: mui
shadcn: shadcn_ui
dayjs: day.js
pytest: py.test
junit: junit4 junit5 jupiter
unittest: unittest.testcase
gosec: gosec
github-actions: github_action github_actions
docker: dockerfile docker_compose
kubernetes: k8s kubectl
powershell: pwsh
graphql: gql
rest-api: restful rest_endpoint rest_interface
autoincrement: auto_increment
microservice: microservices micro_service
jetpack-compose: jetpack_compose
swiftui: swift_ui
combine-framework: use_combine combine_publisher
react-query: tanstack_query
context7: context_7
app-router: app_router
pages-router: pages_router
app-directory: app_directory
english: en
"""
