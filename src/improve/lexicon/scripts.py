"""Words of rules in Chinese, Japanese, Korean, Russian, Portuguese, Spanish, German and French.

Each line is an English word of the matcher, then what other languages write for it. Text without spaces between
its words is cut by the longest entry that fits; words of the other languages are recognised by how they begin.
`not` stands before what it forbids, `postnot` after it (Japanese and Korean put the negation last).
"""

from __future__ import annotations

import re
from functools import lru_cache

from improve.lexicon.tables import rows_of

UNSPACED = """
not: 不要 不得 不能 不可 禁止 严禁 请勿 切勿 避免 别 不应 不许 不准 不 无需 不用 没有 拒绝 절대
postnot: しない ないこと せず しません ません ずに ない 禁止する を避け 避ける 避けて やめ するな 하지_않
  하지_마 하지_말 않는다 않습니다 않도록 않고 말고 말_것 말라 마라 마세요 금지 피한다 피하 지양 없이 없도록
  안_되 안_된
unless: 除非 以外 を除き 제외
must: 必须 务必 一定 必ず 必须要 반드시
always: 总是 始终 一律 常に 항상
use: 使用 采用 利用 用 使う 使い 使って 使わ 用いる 利用し 사용 이용
prefer: 优先 尽量 優先 우선
before: 之前 前に 以前 する前 전에
first: 先 먼저 まず
after: 之后 以后 後に 한_뒤 후에 다음에
comment: 注释 註解 コメント 주석
docstring: 文档字符串 ドキュメント文字列 독스트링
document: 文档 文書 ドキュメント 문서 手册
code: 代码 コード 코드 程序
function: 函数 関数 メソッド 함수 方法 메서드
class: 类 クラス 클래스
component: 组件 コンポーネント 컴포넌트
variable: 变量 変数 변수
constant: 常量 定数 상수
file: 文件 ファイル 파일
folder: 目录 文件夹 ディレクトリ フォルダ 폴더 디렉터리 디렉토리
module: 模块 モジュール 모듈
parameter: 参数 引数 パラメータ 인자 매개변수
return-value: 返回值 戻り値 반환값
type: 类型 型 타입 자료형
interface: 接口 インターフェース 인터페이스
name: 命名 名前 名称 이름 명명
descriptive: 有意义的 意味のある 명확한 描述性
meaningless: 无意义 意味のない 무의미
obvious: 显而易见 废话 自明 明らかな 명백한 당연한
abbreviation: 缩写 简写 略語 省略 축약 약어
test: 测试 テスト 테스트
unit-test: 单元测试 ユニットテスト 単体テスト 단위_테스트
regression-test: 回归测试 回帰テスト 회귀_테스트
coverage: 覆盖率 カバレッジ 커버리지
mock: 模拟 モック 모의 목
error: 错误 エラー 에러 오류 报错
exception: 异常 例外 예외
error-handling: 错误处理 エラー処理 エラーハンドリング 에러_처리
log: 日志 ログ 로그
emoji: 表情符号 絵文字 이모지
english: 英文 英语 英語 영어
chinese: 中文 汉语 中国語 중국어
japanese: 日语 日文 日本語 일본어
korean: 韩语 韓国語 한국어 한글
response: 回复 回答 返答 応答 응답 답변 대답
write: 编写 撰写 写 書く 書い 書き 書か 記述 작성 쓴다
read: 阅读 读 読む 読ん 確認 읽는 읽고 읽어
add: 添加 新增 增加 追加 추가
remove: 删除 移除 削除 삭제 제거
change: 修改 更改 改动 变更 変更 修正 수정 변경 改动
update: 更新 갱신 업데이트
create: 创建 新建 作成 作る 생성 만든 만들
run: 运行 执行 実行 실행
check: 检查 确认 检验 チェック 검토 확인 점검
validate: 验证 校验 検証 バリデーション 검증 유효성
search: 搜索 查找 検索 검색 찾는
exist: 已有 现有 存在 既存 既に 기존 이미
reuse: 复用 重用 再利用 流用 재사용
duplicate: 重复 重複 同じロジック 중복
deduplicate: 共通化 抽取公共 공통화
extract: 抽取 提取 抽出 추출
split: 拆分 分割 分離 분리 나눈
refactor: 重构 リファクタリング リファクタ 리팩터링 리팩토링
rewrite: 重写 書き直 재작성
unrelated: 无关 無関係 関係ない 관련_없는 무관
broken: 坏 壊れ 망가진
small: 最小 小さ 小 작은 작게 최소
simple: 简单 简洁 シンプル 簡単 단순 간단
concise: 简短 精简 簡潔 간결 짧게
detailed: 详细 詳しく 자세히 상세
explain: 说明 解释 説明 설명
summary: 总结 摘要 要約 まとめ 요약
ask-user: 不清楚 不明确 歧义 模糊 曖昧 不明 모호 불명확 疑问
ask-user: 询问 提问 问用户 问 質問 尋ね 聞く AskUserQuestion 질문 물어
guess: 猜测 猜 假设 推測 仮定 추측 가정
approval: 许可 批准 同意 許可 承認 승인 허락 허가 동의 确认后
user: 用户 ユーザー ユーザ 사용자
instruction: 指令 指示 지시
plan: 计划 方案 計画 계획
input: 输入 入力 입력
secret: 密钥 敏感 机密 密码 秘匿 機密 シークレット パスワード 비밀 비밀번호
hardcode: 硬编码 ハードコード ハードコーディング 하드코딩
env-variable: 环境变量 環境変数 환경_변수 환경변수
configuration: 配置 设置 設定 설정
database: 数据库 データベース 데이터베이스
query: 查询 クエリ 쿼리
parameterized: 参数化 パラメータ化 매개변수화
migration: 迁移 マイグレーション 마이그레이션
destructive: 破坏性 破壊的 파괴적
commit: 提交 コミット 커밋
commit-message: 提交信息 コミットメッセージ 커밋_메시지
branch: 分支 ブランチ 브랜치
push: 推送 プッシュ 푸시
merge: 合并 マージ 병합
revert: 还原 回滚 撤销 元に戻 戻す 되돌리
version: 版本 バージョン 버전
dependency: 依赖 依存 의존성
package: 包 パッケージ 패키지
install: 安装 インストール 설치
build: 构建 编译 ビルド 빌드
deploy: 部署 发布 デプロイ 배포
performance: 性能 パフォーマンス 성능
lazy-load: 懒加载 按需加载 代码分割 遅延読み込み コード分割 지연_로딩
memoization: 记忆化 メモ化 메모이제이션 缓存计算
re-render: 渲染 重渲染 再レンダリング 재렌더링 렌더링
responsive: 响应式 移动优先 レスポンシブ モバイルファースト 반응형
mobile: 移动 モバイル 모바일
design: 设计 設計 デザイン 설계 디자인
state: 状态 状態 상태
hook: 钩子 フック 훅
single-responsibility: 单一职责 単一責任 责务 責務 단일_책임
responsibility: 职责 책임
modular: 模块化 モジュール化 모듈성 모듈화
immutable: 不可变 イミュータブル 不変 불변
async-await: 异步 非同期 비동기
type-check: 类型检查 型チェック 타입_검사
explicit-type: 类型注解 型注釈 타입_힌트 타입_애노테이션
follow: 遵循 遵守 按照 従う 準拠 따른다 따르 준수
pattern: 规范 约定 模式 惯例 規約 規則 パターン 관례 규칙 패턴
consistent: 一致 统一 一貫 統一 일관
codebase: 仓库 代码库 项目 リポジトリ プロジェクト 저장소 프로젝트
helper: 工具函数 ヘルパー ユーティリティ 유틸리티 헬퍼 유틸
logic: 逻辑 ロジック 処理 로직
feature: 功能 機能 기능
request: 要求 请求 求められ 依頼 요청
task: 任务 タスク 작업
finish: 完成 完了 완료 마치
agent: 代理 エージェント 에이전트 智能体
message: 消息 信息 メッセージ 메시지
path: 路径 パス 경로
server: 服务器 服务端 サーバー 서버
port: 端口 ポート 포트
table: 数据表 テーブル 테이블
format: 格式化 格式 フォーマット 整形 포매팅 포맷 서식
lint: リント 린트
indent: 缩进 インデント 들여쓰기
line: 行 줄
space: 空格 スペース 공백
character: 字符 文字 글자
line-comment: 单行注释 行コメント
punctuation: 标点 句読点 구두점
screenshot: 截图 スクリーンショット 스크린샷
security: 安全 セキュリティ 보안
permission: 权限 権限 권한
root-cause: 根本原因 根因 근본_원인
cache: 缓存 キャッシュ 캐시
example: 示例 例子 例えば 예시
page: 页面 ページ 페이지
data: 数据 データ 데이터
api: 接口文档
tool: 工具 ツール 도구
the: 한다 합니다 하기 하는 해야 된다 됩니다 있는 있다 场合 場合 可能 必要 明確 検討 以上 箇所 进行 进行 相关
  对应 对应的 实现 情况 内容 时 경우 필요 대한 対象 相当 積極的 具体 関連 一般 対応 現有
"""

SPACED = """
not: не нельзя никогда никаких запрещено избегай избегать não nunca jamais evite evitar sem proibido nunca
  jamás sin evita evitar prohibido nicht kein keine keinen niemals nie vermeide vermeiden ohne ne pas jamais
  éviter évitez sans interdit aucun aucune
always: всегда sempre siempre immer toujours
use: используй использовать используйте usar use utilizar utilize usa verwende verwenden benutze nutze
  utilise utiliser utilisez
add: добавля добавь adicion añad agreg hinzufüg ajout
write: пиши писать напиши escrev escrib schreib écri
code: код кода коде коду código codigo
comment: комментари comentári comentari kommentar commentaire
test: тест prueba teste testes tester
document: документац documenta dokument
function: функци função funções función funcion funktion fonction
variable: переменн variáv variáve variab
name: имена названи имя nome nombre namen nommer noms nom
file: файл arquivo archivo fichero datei fichier
secret: секрет токен парол segredo senha secreto contraseña geheimnis passwort mot_de_passe
error: ошиб erro erros fehler erreur
language: язык idioma sprache langue
english: английск inglês ingles inglés englisch anglais
russian: русск russo ruso russisch russe
portuguese: português portugues portugués
spanish: испанск espanhol español spanisch espagnol
german: немецк alemão alemán deutsch allemand
french: французск francês francés französisch français
response: ответ отвеча responda resposta responde respuesta antwort réponse répond
check: провер verifi comprueb comprob prüf überprüf vérifi
validate: валид valida validier valider
before: перед прежде antes vor bevor avant
after: после depois después nach après
user: пользовател usuári usuario benutzer nutzer utilisateur
ask-user: спроси спрашива уточн pergunt pregunt frage fragen demand
guess: угадыва догад adivinh adivin rate raten devin
change: измен правк alter mudanç modific cambi änder modifi chang
create: созда crie criar crea erstell crée créer
remove: удаля удали remov elimin lösch entfern supprim
run: запуска запусти execut rode rodar ejecut ausführ lanc exécut
commit: коммит
branch: ветк ramo rama zweig branche
exist: существующ existent bestehend
reuse: переиспольз reutiliz wiederverwend réutilis
duplicate: дублир duplic dupliz dupliqu
simple: прост simples sencill einfach
small: маленьк небольш pequen pequeñ klein petit
concise: кратк concis knapp kurz
explain: объясн expli erklär expliqu
feature: функционал funcionalidad
break: ломай сломал quebr romp zerstör cass
regression-test: регрессион regressão regresión
async-await: асинхрон asyncio assíncron asíncron
hardcode: хардкод hardcod
database: баз banco_de_dados base_de_datos datenbank base_de_données
dependency: зависимост dependênci dependenci abhängigkeit dépendance
path: путь пути caminho ruta pfad chemin
machine: машин máquina maschin
emoji: эмодзи смайл
import: импорт import
type: тип tipo typ
class: класс classe clase klasse
component: компонент componente komponent composant
input: ввод entrada eingab entrée
approval: разрешени подтвержд permiss aprova permiso aprob erlaubnis genehmig permission autoris
refactor: рефактор refator refactoriz refaktor
must: должен должны обязательно deve devem obrigatóri debe deben muss müssen doit doivent
"""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af々ー"
_ENDING = re.compile("[\u3040-\u309f ]")
_RUN = re.compile(f"[{_CJK}]+(?: [\uac00-\ud7af]+)*")
_WORD = re.compile(r"[^\W\d_a-z]\w*|[a-z]*[à-öø-ÿ]\w*|[a-z]{3,}")


def to_english(text: str) -> str:
    """Put English words in place of the words the tables know, and pairs of characters for the rest."""
    text = _RUN.sub(lambda found: " " + _cut(found.group()) + " ", text)
    return _WORD.sub(lambda found: _translate(found.group()), text)


def _cut(run: str) -> str:
    """Cut a run of characters into known words (the longest that fits) and pairs of the characters between."""
    table = _unspaced()
    words: list[str] = []
    rest: list[str] = []
    at = 0
    while at < len(run):
        known = next((entry for entry in table.get(run[at], ()) if run.startswith(entry[0], at)), None)
        if known:
            words += [*_pairs("".join(rest)), known[1]]
            rest = []
        else:
            rest.append(run[at])
        at += len(known[0]) if known else 1
    return " ".join([*words, *_pairs("".join(rest))])


def _pairs(rest: str) -> list[str]:
    """Give the character pairs of an unknown stretch; hiragana are endings and carry nothing."""
    pairs = (rest[n : n + 2] for n in range(len(rest) - 1))
    return [pair for pair in pairs if not _ENDING.search(pair)]


def _translate(word: str) -> str:
    """Find a whole word, or (from four letters on) how a known one begins."""
    table = _spaced()
    if word in table:
        return table[word]
    return next((table[word[:n]] for n in range(len(word) - 1, 3, -1) if word[:n] in table), word)


@lru_cache(maxsize=1)
def _unspaced() -> dict[str, list[tuple[str, str]]]:
    """Put what is written without spaces under its first character, longest first."""
    found: dict[str, list[tuple[str, str]]] = {}
    for word, english in sorted(_table(UNSPACED).items(), key=lambda row: (-len(row[0]), row[0])):
        found.setdefault(word[0], []).append((word, english))
    return found


@lru_cache(maxsize=1)
def _spaced() -> dict[str, str]:
    return _table(SPACED)


def _table(block: str) -> dict[str, str]:
    table: dict[str, str] = {}
    for english, members in rows_of(block):
        for member in members:
            table.setdefault(member.replace("_", " ").casefold(), english)
    return table
