"""The words that `cue` looks for, by what they hint at and by language. Tables only.

A cue is whole words without apostrophes, in lower case; a dot before it means that a sentence begins with it.
"""

from __future__ import annotations


def _cues(table: str, mark: str = "") -> tuple[str, ...]:
    """Split a table into cues with blanks around them, so that only whole words are found."""
    return tuple(f" {mark}{cue} " for cue in _parts(table))


def _parts(table: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cue for line in table.split("\n") for cue in line.split("|") if cue))


_REMEMBER = """
remember that|remember this|remember to|please remember|remember we|remember i|remember you|dont forget|do not forget
keep in mind|bear in mind|take note|note that down|write that down|write this down|make a note|add a note to
note for next|for next time|next time|for the future|in the future|in future|memorize|save this to memory
save to memory|to your memory|to memory|your memory|store this|add this rule|add a rule|new rule|make a rule
make it a rule|make this a rule|create a rule|update the rule|update the rules|update that rule|update your rules
existing rules|rule that|rules to|a rule for|as a rule|record this|agents md|claude md|gemini md|copilot instructions
cursorrules|cursor rules|cursor rule|your instructions|your rules|system prompt should|add to the skill
update the skill|for future|future sessions|future reference|i remind you
merk dir|merke dir|denk daran|denke daran|vergiss nicht|nicht vergessen|zur erinnerung|behalte im kopf|schreib dir auf
nächstes mal|das nächste mal|für die zukunft|regel hinzu
souviens toi|rappelle toi|noubliez pas|noublie pas|retiens que|retiens bien|garde en tête|la prochaine fois|à lavenir
note bien|ajoute une règle|pour la suite
recuerda que|recuerda|no olvides|no te olvides|ten en cuenta|tené en cuenta|la próxima vez|en el futuro|apunta que
a partir de ahora|añade una regla|agrega una regla|memoriza
lembre se|lembra que|lembre|não esqueça|não se esqueça|tenha em mente|da próxima vez|no futuro|adicione uma regra
memorize
ricorda che|ricordati|ricorda|non dimenticare|tieni a mente|la prossima volta|in futuro|aggiungi una regola
onthoud|vergeet niet|denk eraan|denk er aan|hou er rekening mee|volgende keer|voortaan|voeg een regel toe
запомни|запомните|не забудь|не забывай|имей в виду|учти что|учти|в следующий раз|на будущее|добавь правило
запиши в правила
zapamiętaj|pamiętaj|nie zapomnij|miej na uwadze|następnym razem|na przyszłość|dodaj regułę
hãy nhớ|nhớ là|đừng quên|lần sau|từ giờ|ghi nhớ
"""

_PREFERENCE = """
from now on|going forward|moving forward|from here on|from now|from this point|always|never|every time|each time
at all times|i prefer|we prefer|id prefer|i would prefer|id rather|i would rather|prefer to|by default|as a convention
our convention|our standard|our style|i like to|we like to|i dont like|we dont like|i want you to|i need you to
i expect you|you should|you must|you need to|you have to|in general|as a general|whenever|when you|before you
after you|make sure you|make sure to|make sure that|make sure we|be sure to|ensure that you|ask me|ask first
check with me|without asking|without my|wait for my|until i|unless i|let me know before|tell me before|dont ever
not ever|please use|please always|please only|please dont|please do not|please keep|please avoid|only use|stick to
stick with|should be able to|i only want|we only|no need to|only in|myself|yourself|one at a time|respond in|reply in
answer in|respond only|speak in|write in english|in english|important|mandatory|required to|requirement that|must be
must not|must never|must always|should always|should never|should not|shouldnt|we use|we dont use|we do not use
we are using|we are not using|were not using|were using|we want to keep|we always|we never|tests for this|tests pass
as you go|each task|each step|every step|each phase|be careful|more careful|carefully
ab jetzt|von nun an|ab sofort|künftig|in zukunft|immer|niemals
nie|grundsätzlich|jedes mal|bevorzuge|lieber|bitte nur|bitte keine|bitte nicht|ich möchte dass du|ich will dass du
du sollst|du musst|auf deutsch|frag mich|frag erst|standardmäßig
désormais|dorénavant|à partir de maintenant|toujours|jamais|à chaque fois|je préfère|on préfère|en français|par défaut
il faut toujours|tu dois|demande moi|avant de|sans me demander|uniquement|je veux que tu
siempre|nunca|jamás|de ahora en adelante|desde ahora|en adelante|cada vez que|prefiero|preferimos|en español
por defecto|tienes que|debes|tenés que|pregúntame|preguntame|antes de|sin preguntar|quiero que|solamente
sempre|nunca|jamais|de agora em diante|a partir de agora|daqui pra frente|daqui para frente|toda vez que|prefiro
em português|por padrão|você deve|me pergunte|sem perguntar|utilize|quero que você|somente|apenas
mai|dora in poi|da ora in poi|da adesso in poi|dora in avanti|ogni volta|preferisco|in italiano|devi|chiedimi|prima di
vanaf nu|altijd|nooit|elke keer|ik heb liever|liever|gebruik altijd|in het nederlands|vraag eerst|je moet|standaard
всегда|никогда|отныне|с этого момента|впредь|каждый раз|предпочитаю|лучше|по русски|на русском|по умолчанию|спрашивай
ты должен|только|сначала спроси|обязательно|нельзя
zawsze|nigdy|od teraz|od tej pory|za każdym razem|wolę|preferuję|po polsku|domyślnie|pytaj|musisz|powinieneś|wyłącznie
luôn|luôn luôn|không bao giờ|tiếng việt|bằng tiếng việt|mỗi lần|phải
"""

_FRUSTRATION = """
how many times|how often do i|again and again|over and over|once again|yet again|told you|i told|i said|i already
already told|already said|already asked|i asked you|i keep|you keep|keep doing|keeps happening|keep making
keep forgetting|same mistake|same mistakes|same error|same issue|same problem|same thing|third time|second time
for the last time|last time|repeating|repeatedly|stop doing|stop making|stop using|stop adding|stop trying|stop asking
had to tell|have to tell|have to keep|had to ask|every single time|still not|still doesnt|still isnt|still broken
still failing|still see|still seeing|still wrong|still the same|still getting|still get|i still|is still|are still
its still|it still|you still|wtf|wth|what the hell|what the fuck|the fuck|fuck|fucking|fucked|fkn|fck|damn|dammit
bullshit|shit|idiot|stupid|dumb|ridiculous|useless|disaster|for gods sake|ffs|omfg|seriously|wasting|waste of
are you kidding|what is wrong with you|whats wrong with you|pay attention|listen to me|why do you keep
why do i have to|did you not|do you not
wie oft|schon wieder|schon gesagt|habe ich gesagt|hab ich gesagt|zum dritten mal|immer noch|noch immer|verdammt
scheiße|ständig|hör auf|jedes mal|mehrfach gesagt
combien de fois|encore une fois|déjà dit|je tai dit|je tavais dit|toujours pas|tu continues|arrête de|arrêtez de
putain|merde|la même erreur|ça recommence
cuántas veces|cuantas veces|otra vez|te dije|ya te dije|te lo dije|sigue sin|sigue fallando|sigues|deja de|dejá de
joder|mierda|el mismo error|todavía no|sigue igual
quantas vezes|de novo|já falei|já disse|eu disse|eu falei|continua|ainda não|pare de|para de|o mesmo erro|porra|merda
quante volte|di nuovo|ancora una volta|te lho detto|ti ho detto|lho già detto|smettila|continua a|lo stesso errore
cazzo
hoe vaak|alweer|al gezegd|ik zei|nog steeds|hou op|stop met|dezelfde fout|verdomme
сколько раз|опять|снова|я же сказал|я же говорил|уже говорил|уже сказал|все еще|всё ещё|все ещё|до сих пор|хватит
перестань|прекрати|та же ошибка|блять|черт|чёрт
ile razy|znowu|znów|już mówiłem|już mówiłam|mówiłem|mówiłam|nadal|wciąż|przestań|ten sam błąd|cholera|kurwa
bao nhiêu lần|vẫn còn|vẫn bị|vẫn không|vẫn chưa|đã bảo|đã nói
"""

_CORRECTION = """
thats wrong|this is wrong|is wrong|are wrong|was wrong|were wrong|wrong file|wrong directory|wrong one|wrong way
you got it wrong|thats not|that is not|thats incorrect|incorrect|not correct|not right|isnt right|not true|simply not
not what i|not the right|isnt what|not how|not quite|not exactly|misunderstood|misunderstanding|you missed|you forgot
you didnt|you did not|you havent|you have not|you dont|you do not need|you shouldnt|you should not|you should have
should have|shouldve|supposed to|you werent|you were not|you arent|you are not|youre not|youre using|youre making
youre editing|youre still|you are still|you are using|you made|you broke|you removed|you deleted|you changed|you added
you updated|you just|you ignored|you skipped|you lost|you said|you claimed|you told me|you put|you created|you used
you left|you think|i think you|looks like you|seems like you|seems you|did you|didnt you|arent you|are you sure
why did you|why didnt you|why are you|why arent you|why would you|why havent|why do you|why do we|why is it|why would
why the|why you|what are you doing|what did you do|what happened|how come|where is the|where are the|i didnt|i did not
i never|i dont want|i do not want|we dont|we do not|dont want|dont need|not needed|unnecessary|no need|too much
overkill|overcomplicating|overengineering|over engineering|hallucinating|hallucination|hallucinated|dont guess
guessing|dont assume|assumed|instead of|rather than|use the existing|we already have|already exists|already have
we already|undo|revert|roll back|rollback|put it back|go back to|bring back|restore|i undid|i reverted|i discarded
discarded|nuked|thats why|as i said|as i mentioned|like i said|i meant|i mean|what i meant|what i asked|didnt ask
did not ask|never asked|not asking|i was asking|i wanted|actually i|no longer|doesnt work|does not work|didnt work
did not work|not working|isnt working|doesnt make sense|make any sense|makes no sense|not convinced|im not sure
not sure|dont think|do not think|i dont see|dont see|cant see|cannot see|i see no|nothing changed|nothing happened
no change|didnt change|didnt actually|not actually|havent actually|not following|did not follow|didnt follow
follow the|should be|should go|should use|should point|better to|would be better|not be|not just|must have|mess|messed
mistake|failed to|you failed|at all|get rid|getting rid|the same as|also note|please check again|check again
double check|recheck|look again|look at the|try again|read the|in full
falsch|stimmt nicht|nicht richtig|das ist nicht|das war nicht|nicht was ich|du hast|hast du nicht|warum hast du
wieso hast du|sondern|stattdessen|anstatt|statt|mach das rückgängig|zurücksetzen|funktioniert nicht|geht nicht
du solltest|vergessen|doch|kein|keine|ich meinte|ich wollte
cest faux|pas correct|pas bon|ce nest pas|nest pas|ne marche pas|ne fonctionne pas|tu as oublié|tu nas pas|pourquoi tu
pourquoi as tu|au lieu de|plutôt que|annule|reviens en arrière|je voulais|je nai pas|jai dit|pas ça|tu tes trompé
erreur de
está mal|esta mal|no es correcto|incorrecto|no es eso|no es lo que|eso no|no funciona|no está|no quiero|no quería
no debes|no uses|te equivocaste|olvidaste|por qué|en lugar de|en vez de|deshaz|revierte|quería|no hiciste|no has
debería|te falta|falta
está errado|esta errado|incorreto|não é|não está|não funciona|não funcionou|não quero|não era|não use|você esqueceu
por que você|ao invés|em vez de|desfaça|reverta|eu queria|você não|deveria|faltou|errou
è sbagliato|sbagliato|non è|non funziona|non va|non voglio|non usare|hai dimenticato|perché hai|invece di|annulla
ripristina|volevo|non hai|dovrebbe|avresti dovuto
fout|klopt niet|is niet|niet goed|niet wat ik|werkt niet|je hebt|je bent vergeten|waarom heb je|in plaats van
draai terug|ik bedoelde|ik wilde|geen|moet niet|zou moeten
неправильно|не правильно|неверно|не так|не то|не работает|это не|ты забыл|ты не|почему ты|зачем ты|вместо|откати|верни
я хотел|я имел в виду|не надо|не нужно|не используй|не делай|должно быть|должен быть|ошибся|у тебя
źle|błędnie|nieprawda|to nie|nie działa|nie tak|nie to|zapomniałeś|nie zrobiłeś|dlaczego|po co|zamiast|cofnij|przywróć
chciałem|miałem na myśli|nie chcę|nie używaj|nie rób|powinno być
sai rồi|bị sai|không đúng|chưa đúng|không phải|sao lại|tại sao|sao vẫn|đừng
"""

SIGNS = {
    "remember": _cues(_REMEMBER),
    "preference": _cues(_PREFERENCE),
    "frustration": _cues(_FRUSTRATION),
    "correction": _cues(_CORRECTION),
}
"""Three points each."""

HINTS = _cues("""
not|no|still|but|never|wrong|youre|you|your|should|must|again|only|just|why|instead|actually|right|want|didnt|dont
doesnt|isnt|arent|wasnt|cant|shouldnt|without|before|wait|correct|properly|myself|rule|rules|there|were|that|thats|too
ever|even|though
nicht|kein|du|aber|warum|nochmal|nur
pas|tu|mais|pourquoi|seulement
non|ma|perché|solo|no|pero
não|mas|só
niet|maar|waarom
не|но|почему
nie|ale|tylko
không|nhưng
""")
"""One point each."""

OPENINGS = _cues(
    """
no|nope|nah|wait|hold on|stop|hey|dude|lol|wow|uh|uhh|uhhh|hmm|hmmm|ugh|dont|do not|never|always|why|you|youre|your
i said|ill|i will|im not|its not|thats|that is|this is|still|actually|not|only|but|avoid|use|prefer|its|it is|isnt
arent|didnt|wrong
nein|halt|warte
falsch|warum|stopp
non
attends|pourquoi|no
espera
para
não|pare
aspetta|fermati|perché
nee|wacht|waarom|stop
нет|стой|подожди|почему|зачем
не
nie
czekaj|dlaczego
không|sao
""",
    ". ",
)
"""Two points where a sentence begins with it."""

TASKS = _cues(
    """
create|implement|continue|generate|add|write|build|explain|ok now|ok i|great|can you|can we|could you|how do|how can
how to|lets|do|does|yes|commit|start|run|show|analyze|proceed|please implement|please create|you are|what is|what are
erstelle|schreibe|wie kann
crée|écris|ajoute
crea|escribe|agrega
cria|crie|adicione
scrivi|aggiungi
maak|schrijf|voeg
создай|напиши|добавь
stwórz|napisz|dodaj
hãy|tạo|thêm
""",
    ". ",
)
"""Two points less for a message that begins with it."""

SCRIPTS = {
    "remember": _parts("""
记住|記住|记得|記得|别忘|別忘|不要忘|下次|以后都|以後都|写进|寫進|加到规则|规则里
記憶|覚えて|忘れない|次回|今後|ルールに|メモして
기억해|기억하|잊지|다음부터|다음에는|앞으로|규칙에|규칙을
จำไว้|อย่าลืม|ครั้งหน้า
تذكر|تذكّر|لا تنس|في المرة القادمة|من الآن فصاعدا|أضف قاعدة
"""),
    "preference": _parts("""
从现在|從現在|今后|今後|以后|以後|总是|總是|始终|始終|必须|必須|每次|一律|只能|只用|不允许|不可以|禁止|优先|中文
一定要|请用
常に|必ず|これから|毎回|絶対に|ではなく|日本語で|勝手に|使わない|使って|ようにして
항상|반드시|절대|매번|한국어로|말고|하지마|하지 마|마세요|지금부터|이제부터
จากนี้ไป|เสมอ|ทุกครั้ง|เท่านั้น|ภาษาไทย|ห้าม
دائما|دائمًا|أبدا|أبدًا|في كل مرة|أفضل استخدام|بالعربية|ممنوع
"""),
    "frustration": _parts("""
说了多少|說了多少|说过|說過|又|怎么还|怎麼還|还是不|還是不|还是没|還是沒|一直|总在|依然|仍然|反复|受不了|妈的
何度|また|まだ|前にも|言った|言いました
몇 번|또 |아직도|여전히|계속|말했|했잖
ยังไม่|ยัง|อีกแล้ว|บอกแล้ว
قلت لك|كم مرة|أخبرتك|ما زال|ما زلت|لا يزال|نفس الخطأ
"""),
    "correction": _parts("""
不对|不對|错了|錯了|不是这|不是這|不是让|不是讓|不是说|不要|别再|別再|不该|不應|不应|为什么|為什麼|怎么没|没有按|沒有按
没用|误导|我要的是|我说的是|我說的是|而不是|应该是|應該是|应该用|應該用|改回|撤销|还原|還原|回滚|幻觉|你没|你沒|去掉|删掉
しないで|違う|違います|間違|ではない|じゃない|なぜ|どうして|戻して|やめて|直って|ない。
아니|틀렸|잘못|왜 |하지 말|되돌려|원래대로|안 돼|안돼|않아|않습니다
ไม่ใช่|ผิด|ไม่ถูก|หยุด|ทำไม
هذا خطأ|مخطئ|غير صحيح|ليس صحيح|ليس هذا|لماذا|بدلا من|بدلًا من|لا تستخدم|لا تفعل|توقف عن|تراجع عن
"""),
}
"""Parts of words in scripts that put no blanks between them; three points each."""
