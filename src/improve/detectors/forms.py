"""How people say a lasting rule in plain words: frames around it, and what shows that it is none. Tables only.

Every pattern is for one sentence without its end mark, matched without regard to case.
"""

from __future__ import annotations


def _words(table: str) -> frozenset[str]:
    return frozenset(table.split())


_FILLER = (
    r"(?:ok(?:ay)?|yes|yeah|wait|hey|hi|also|and|but|so|well|please|pls|plz|btw|again|sorry|thanks|great"
    r"|good|nice|cool"
    r"|claude|codex|gemini|i said|i told you(?: to)?|bitte|ja|also|und|gut|s'il (?:te|vous) pla[iî]t|stp"
    r"|oui|et|por favor|y"
    r"|pero|vale|e|per favore|sì|да|пожалуйста|и|а|proszę|请|請|好的|可以|嗯)"
)
_REFUSAL = r"(?:no|nope|nah|stop|nein|nee|non|não|нет|nie|không|不|不对|不是)"
"""These are taken away before a comma only: `no uses npm` forbids."""
FILLERS = rf"^(?:{_FILLER}(?:[,.:;–—-]+\s*|\s+(?=\S)|，|。|、|：)|{_REFUSAL}(?:[,.:;!–—-]+\s+|，|。|！))+"
"""Taken from the beginning."""

LASTING = (
    r"(?:from now on(?:wards)?|going forward|moving forward|from here on(?: out)?|in (?:the )?future"
    r"|for (?:the )?future"
    r"|henceforth|as a (?:general )?rule|by default"
    r"|ab jetzt|ab sofort|von nun an|künftig|zukünftig|in zukunft|grundsätzlich"
    r"|à partir de maintenant|désormais|dorénavant|à l'avenir"
    r"|a partir de ahora|de ahora en adelante|desde ahora|en adelante|de aquí en adelante"
    r"|a partir de agora|de agora em diante|daqui (?:pra|para) (?:a )?frente|daqui em diante"
    r"|d'ora in poi|da ora in poi|da adesso in poi|d'ora in avanti|in futuro"
    r"|vanaf nu|voortaan|с этого момента|отныне|впредь|с сегодняшнего дня|od teraz|od tej pory"
    r"|từ giờ(?: trở đi)?|từ nay(?: trở đi| về sau)?|từ bây giờ(?: trở đi)?)"
)
"""Says that what stands beside it holds for good."""
LASTING_CJK = (
    r"(?:从现在开始|从现在起|从今以后|今后|以后|往后|從現在開始|今後|以後|これからは?|今後は|앞으로는?|이제부터)"
)

NOTED = (
    r"(?:(?:please )?(?:remember|keep in mind|bear in mind|note|make a note|take note|fyi|for the record"
    r"|for reference"
    r"|new rule|rule|add (?:a|this) rule)(?: that|:|,|\s*[-–—])?"
    r"|merk dir|denk (?:bitte )?daran|neue regel|regel|retiens(?: bien)?(?: que)?|note bien(?: que)?"
    r"|nouvelle règle|règle"
    r"|recuerda(?: que)?|ten en cuenta que|nueva regla|regla|lembre-se(?: de)?(?: que)?|lembra que|nova regra|regra"
    r"|ricorda(?:ti)?(?: che)?|tieni a mente che|nuova regola|regola|запомни(?: что)?|правило"
    r"|zapamiętaj(?: że)?|onthoud(?: dat)?"
    r"|(?:hãy )?nhớ(?: là| rằng)?|ghi nhớ)"
)
NOTED_CJK = r"(?:请?记住|請?記住|记得|記得|규칙|覚えておいて|기억해)"

VERBS = _words("""
ask avoid build bump call check comment commit compile confirm consult copy delete deploy document edit ensure
explain fetch fix follow force-push format give guess hardcode hard-code ignore import include inline install
invent keep lint look make mention merge mock modify name pin place prefer propose publish pull push put quote
read rebase rebuild refactor reformat release rely remove rename reply respond answer restart review run save
search sign skip speak squash start stick stop suppress swallow tag talk tell test touch treat try update use
verify wait wrap write amend assume change create add disable bypass trust leak log print store show generate
suggest leave work
""")
"""What an agent is told to do."""
OF_PRODUCTS = _words("""
create add log print store show generate suggest leave work name give call save copy place tag include start
stop try
""")
"""Those of them that are said of the thing being built as often: they need to be said to hold for good."""

TRANSIENT = (
    r"\b(?:yet|now|today|tonight|tomorrow|currently|currenly|temporarily|meanwhile|once|first|then|next|below|above"
    r"|following|attached|here|there|this|that|these|those|it|its|them|they|he|she|him|her|one|ones|same"
    r"|such|previous"
    r"|last|latest|current|until|till|too|other|another|just|either|i|i'm|i'll|i've|if|else"
    r"|jetzt|heute|noch|diesmal|hier|dort|das|dies|diese[rnms]?|es|erst|dann|sonst|gerade|oben|unten|wenn|ihn|sie"
    r"|ça|cela|ceci|ce|cet|cette|ces|ici|encore|aujourd'hui|maintenant|ensuite|d'abord|suivante?s?|celui|celle|si"
    r"|esto|eso|est[ea]s?|es[ea]s?|aquí|ahí|hoy|todavía|ahora|luego|primero|siguientes?|lo"
    r"|isso|isto|ess[ea]s?|aqui|ali|hoje|agora|ainda|depois|primeiro|seguintes?"
    r"|quest[oaie]|quell[oaie]|qui|oggi|adesso|ora|ancora|poi|prima|seguent[ei]|se"
    r"|это|этот|эту|этого|этом|эти|здесь|сейчас|пока|сегодня|потом|сначала|ниже|выше|его|её|их|если"
    r"|dit|deze|dat|hier|nu|vandaag|teraz|dzisiaj|tutaj"
    r"|này|đó|nó|bây giờ|hôm nay|tạm thời|lần này|sau đây|kia)\b|\binstead$"
    r"|[这這那它]|现在|現在|今天|这次|暂时|下面|上面|刚才|このまま|今日|これ|それ|지금|오늘|이거|그거"
)
"""Shows that a sentence is about the moment, or points at something that the rule would not tell."""

HINTS = {
    "en": (
        "always", "never", "ever", "from now", "forward", "future", "henceforth", "as a rule", "by default",
        "remember", "keep in mind", "note", "rule", "we use", "instead", "rather than", "not ", "prefer", "every",
        "each", "whenever", "anymore", "any more", "respond", "reply", "answer", "speak", "talk", "project",
        "repo", "codebase",
    ),
    "de": (
        "immer", "nie", "ab jetzt", "ab sofort", "von nun", "künftig", "statt", "antworte", "sprich", "merk",
        "grundsätzlich", "zukunft", "regel",
    ),
    "fr": (
        "toujours", "jamais", "désormais", "dorénavant", "au lieu", "plutôt", "répond", "parle", "à partir de",
        "retiens", "règle", "avenir",
    ),
    "es": (
        "siempre", "nunca", "adelante", "en vez", "en lugar", "responde", "contesta", "habla", "recuerda", "regla",
        "ahora",
    ),
    "pt": (
        "sempre", "nunca", "agora", "frente", "em vez", "ao invés", "no lugar", "responda", "responde", "fale",
        "fala", "lembr", "regra", "diante",
    ),
    "it": (
        "sempre", " mai ", "in poi", "in avanti", "invece", "al posto", "rispondi", "parla", "ricorda", "regola",
        "in futuro",
    ),
    "ru": (
        "всегда", "никогда", "впредь", "отныне", "вместо", "а не", "отвечай", "пиши", "говори", "запомни",
        "момента", "правило",
    ),
    "vi": (
        "luôn", "bao giờ", "từ giờ", "từ nay", "thay vì", "thay cho", "trả lời", "nhớ",
    ),
    "zh": (
        "以后", "今后", "往后", "从现在", "始终", "总是", "一律", "永远", "绝", "记住", "记得", "每次", "回答",
        "回复", "交流", "答复", "不用", "别用", "而不是", "不要用", "代替", "不是",
    ),
}  # fmt: skip
"""Without one of these in it, a text states no rule in that language."""

STATED = {
    "en": (
        (r"(?:you (?:should|must|need to|have to) |i (?:want|need|expect) you to |make sure (?:to |you |that you ))?"
         r"(always|never) (?:ever )?((?P<verb>[a-z-]+)\b.*)", r"\1 \2", ""),
        (r"we (always|never|only) ((?:use|run|write|commit|push|test|deploy|merge|squash|rebase|import"
         r"|mock)\b.*)", r"\1 \2", ""),
        (r"(?:do not|don't|dont) ever ((?P<verb>[a-z-]+)\b.*)", r"Never \1", ""),
        (r"(?:do not|don't|dont) ((?P<verb>[a-z-]+)\b.*?) (?:ever again|anymore|any more|ever)", r"Never \1", ""),
        (r"never again ((?P<verb>[a-z-]+)\b.*)", r"Never \1", ""),
        (r"(?:you (?:should|must|need to|have to) |i (?:want|need"
         r"|expect) you to )?((?:only )?(?P<verb>[a-z-]+)\b.*)", r"\1", "lasting"),
        (r"(?:do not|don't|dont) ((?P<verb>[a-z-]+)\b.*)", r"Do not \1", "lasting"),
        (r"to (always |never |not )?((?P<verb>[a-z-]+)\b.* (?:before|after) (?:every|each|you|committing|pushing"
         r"|merging|opening|a )\b.*)",
         r"\1\2", "noted"),
        (r"((?P<verb>[a-z-]+)\b.* (?:before|after) (?:every|each|any) .*)", r"\1", ""),
        (r"((?:every|each) time you [^,]+, (?:always |never |do not )?(?P<verb>[a-z-]+)\b.*)", r"\1", ""),
        (r"(whenever you [^,]+, (?:always |never |do not )?(?P<verb>[a-z-]+)\b.*)", r"\1", ""),
        (r"we (?:only )?use ([^\s,]+(?: [^\s,]+)?),? (?:and )?(?:not"
         r"|never) (\S+(?: \S+)?)", r"Use \1, not \2", "choice"),
        (r"we use (\S+(?: \S+)?) (?:instead of|rather than) (\S+(?: \S+)?)", r"Use \1 instead of \2", "choice"),
        (r"(?:always )?use (\S+(?: \S+)?)(?: please)?,? (?:instead of"
         r"|rather than) (\S+(?: \S+)?)", r"Use \1 instead of \2", "choice"),
        (r"(?:always )?(?:use )?([^\s,]+),? (?:and )?(?:not|never) (\S+)", r"Use \1, not \2", "choice"),
        (r"(?:i|we) prefer (\S+(?: \S+)?) (?:over|to) (\S+(?: \S+)?)", r"Prefer \1 over \2", "choice"),
        (r"we (?:only )?use ([^,]+)", r"Use \1", "project"),
        (r"we (?:do not|don't|dont) use ([^,]+)", r"Do not use \1", "project"),
        (r"((?:do not|don't|dont|never|always|only) use [^,]+)", r"\1", "project"),
        (r"(use [^,]+)", r"\1", "project"),
        (r"(?:you (?:should|must) )?(always |only )?((?:respond|reply|answer|speak|talk)(?: to me)?(?: only"
         r"| always)? in [a-z]+(?: only| always| please)?)",
         r"\1\2", ""),
    ),
    "de": (
        (r"((?:benutze|verwende|nutze|nimm|schreibe?|führe?|mache?|lösche?|ändere?|committe?|pushe?) (?:immer"
         r"|nie|niemals|stets) .+)", r"\1", ""),
        (r"(?:du (?:sollst|musst) )?((?:immer|nie|niemals) .+(?:en|ern|eln))", r"\1", ""),
        (r"((?:benutze|verwende|nutze|nimm|schreibe?|führe?|antworte|committe?) .+)", r"\1", "lasting"),
        (r"(?:wir )?((?:benutze|verwende|nutze|nimm|benutzen|verwenden|nutzen) )([^\s,]+),? (?:statt|anstatt"
         r"|und nicht|nicht) (\S+)", r"Nutze \2 statt \3", "choice"),
        (r"(?:antworte|sprich|schreib)(?: mir)?(?: bitte)?( immer| nur)? (auf \w+)", r"Antworte\1 \2", ""),
    ),
    "fr": (
        (r"((?:utilise|utilisez|lance|écris|fais|garde|vérifie|demande|respecte) toujours .+)", r"\1", ""),
        (r"((?:n'|ne )(?:utilise|utilisez|commite?|committe|pousse|modifie|supprime|fais|touche|lance|change"
         r"|mets) jamais .+)", r"\1", ""),
        (r"(?:il faut )?((?:toujours|ne jamais) (?:utiliser|lancer|écrire|faire|vérifier|demander|commiter"
         r"|pousser|modifier|supprimer)\b.+)", r"\1", ""),
        (r"((?:utilise|lance|écris|demande|vérifie|réponds)\b .+)", r"\1", "lasting"),
        (r"(?:on )?utilise[zr]? (\S+) (?:au lieu de|plutôt que|et pas"
         r"|pas) (\S+)", r"Utilise \1 au lieu de \2", "choice"),
        (r"(réponds?|répondez|parle|parlez)(?:[- ]moi)?( toujours| uniquement)? (en \w+)", r"\1\2 \3", ""),
    ),
    "es": (
        (r"((?:usa|utiliza|ejecuta|escribe|pregunta|comprueba|verifica) siempre .+)", r"\1", ""),
        (r"(siempre (?:usa|utiliza|ejecuta|escribe|pregunta|comprueba|verifica|haz)\b .+)", r"\1", ""),
        (r"((?:nunca|no) (?:vuelvas a \w+|uses nunca|hagas nunca) .+)", r"\1", ""),
        (r"(nunca (?:uses|utilices|hagas|escribas|borres|modifiques|toques|subas|cambies)\b .+)", r"\1", ""),
        (r"((?:usa|utiliza|ejecuta|escribe|pregunta|no uses)\b .+)", r"\1", "lasting"),
        (r"(?:usa|usamos|utiliza|utilizamos) ([^\s,]+),? (?:en lugar de|en vez de|y no"
         r"|no) (\S+)", r"Usa \1 en lugar de \2", "choice"),
        (r"(respóndeme|responde|contesta|contéstame|habla|háblame)( siempre| solo| sólo)? (en \w+)", r"\1\2 \3", ""),
    ),
    "pt": (
        (r"((?:use|utilize|execute|rode|escreva|pergunte|verifique) sempre .+)", r"\1", ""),
        (r"(sempre (?:use|utilize|execute|rode|escreva|pergunte|verifique|faça)\b .+)", r"\1", ""),
        (r"(nunca (?:use|utilize|faça|escreva|apague|delete|modifique|altere|commite|suba|mude)\b .+)", r"\1", ""),
        (r"((?:use|utilize|execute|rode|escreva|pergunte|não use)\b .+)", r"\1", "lasting"),
        (r"(?:use|usamos|utilize|utilizamos) ([^\s,]+),? (?:em vez de|ao invés de|no lugar de|e não"
         r"|não) (\S+)", r"Use \1 em vez de \2", "choice"),
        (r"(responda|responde|fale|fala)( sempre| só| apenas)? (em \w+)", r"\1\2 \3", ""),
    ),
    "it": (
        (r"((?:usa|esegui|scrivi|chiedi|controlla|verifica) sempre .+)", r"\1", ""),
        (r"(non (?:usare|fare|modificare|cancellare|toccare|scrivere|cambiare|pushare|committare) mai .+)", r"\1", ""),
        (r"((?:usa|esegui|scrivi|chiedi|controlla|non usare)\b .+)", r"\1", "lasting"),
        (r"(?:usa|usiamo) ([^\s,]+),? (?:invece di|al posto di|e non|non) (\S+)", r"Usa \1 invece di \2", "choice"),
        (r"(rispondi|rispondimi|parla|parlami)( sempre| solo)? (in \w+)", r"\1\2 \3", ""),
    ),
    "ru": (
        (r"(всегда (?:используй|запускай|пиши|проверяй|спрашивай|делай)\b .+)", r"\1", ""),
        (r"(никогда не (?:используй|запускай|пиши|делай|удаляй|меняй|трогай|коммить|пушь)\b .+)", r"\1", ""),
        (r"((?:используй|запускай|пиши|проверяй|спрашивай|не используй)\b .+)", r"\1", "lasting"),
        (r"(?:мы )?использу(?:й|ем) ([^\s,]+),? (?:вместо|а не) (\S+)", r"Используй \1, а не \2", "choice"),
        (r"(отвечай|пиши|говори)(?: мне)?( всегда| только)? (на \w+)(?: языке)?", r"\1\2 \3", ""),
    ),
    "vi": (
        (r"(?:hãy )?(luôn(?: luôn)? (?:dùng|sử dụng|chạy|viết|kiểm tra|hỏi) .+)", r"\1", ""),
        (r"((?:không|đừng) bao giờ (?:dùng|sử dụng|chạy|viết|xóa|sửa|commit|push) .+)", r"\1", ""),
        (r"(?:hãy )?((?:dùng|sử dụng|chạy|viết|đừng dùng) .+)", r"\1", "lasting"),
        (r"(?:hãy )?(?:dùng|sử dụng) ([^\s,]+),? (?:thay vì|thay cho|không phải"
         r"|không dùng) (\S+)", r"Dùng \1 thay vì \2", "choice"),
        (r"(?:hãy )?(luôn |luôn luôn )?(trả lời (?:tôi )?bằng tiếng \w+)", r"\1\2", ""),
    ),
    "zh": (
        (r"(?:请|你)?(?:都|要|就)?((?:一律|始终|总是|必须|每次都?|永远不要|绝对不要|不要再?|不许|别再?|禁止"
         r"|只能?)?(?:用|使用|写|运行|提交|推送|修改|删除|问|检查|测试|回答|回复|改|加|直接).{1,40})",
         r"\1", "lasting"),
        (r"((?:永远不要|绝对不要|绝不|一律|始终|总是|每次都要)(?:用|使用|写|运行|提交|推送|修改|删除|检查|测试"
         r"|直接|先).{1,40})", r"\1", ""),
        (r"我们用([\w.-]+)[，,]?(?:不用|不是|而不是|别用)([\w.-]+)", r"用 \1，不用 \2", "choice"),
        (r"(?:请)?用([\w.-]+)[，,]?(?:不要用|别用|而不是|代替)([\w.-]+)", r"用 \1，不用 \2", "choice"),
        (r"[请請]?(?:都|始终|一直|总是|一律|只)?(?:用|使用)(中文|英文|英语|汉语|日语|简体中文"
         r"|繁体中文)(?:来)?(回答|回复|交流|答复|回應)(?:我)?", r"用\1\2", ""),
    ),
}  # fmt: skip
"""By language: pattern of a sentence, the rule it gives, and what must be there besides: `lasting` or `noted` around
it, that its two things exclude each other (`choice`), that it speaks of the whole project (`project`); nothing for
one that is clear."""

PROJECT = (
    r"(?:,? (?:in|for|throughout|across|everywhere in) (?:this|the|our|all|every) (?:whole |entire )?"
    r"(?:repo|repository|project|projects|codebase|code base|code|monorepo|workspace)(?: always| please)?"
    r"|,? everywhere)"
)
TAILS = (
    r"(?:,? (?:please|pls|plz|thanks|thank you|ok|okay|bitte|danke|merci|s'il te plaît|por favor"
    r"|gracias|obrigado|grazie|nhé|nha|пожалуйста))+"
)
IN_PROJECT = r"^in (?:this|our) (?:repo|repository|project|codebase),? "
QUOTED = r"[\"“„«「][^\"”“»」]{20,}"
"""Somebody else may have said it."""
LISTED = r"(?m)^\s*(?:[-*•#]+|\d+[.)])\s"
"""A list is a plan, a specification or a copy more often than a rule."""
