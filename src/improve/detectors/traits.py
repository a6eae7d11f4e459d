"""Small classes of words, over languages, whose company tells what a message is for. Tables only.

A class is general: what denies, whom one speaks to, what was done, what ought to be, what persists. Evidence found with
these in one language holds in another. Words stand in lower case without apostrophes; what has no blanks between words
stands below `PARTS`, to be looked for anywhere.
"""

from __future__ import annotations

TABLE = {
    "not": """
not no never dont doesnt didnt isnt arent wasnt werent cant cannot couldnt wont wouldnt shouldnt hasnt
havent hadnt aint nor none nothing nobody neither without nope nah non nicht kein keine keinen keiner nie
niemals nichts ohne nein ne pas jamais rien aucun aucune sans nunca jamás jamas nada sin ningún ninguna não
nao sem nenhum nenhuma mai niente senza nessun nessuna niet geen nooit niets zonder nee не нет никогда
ничего без нельзя nigdy nic bez không chưa chẳng đừng khong chua dung değil hayır asla inte ikke dnt didn
doesn isn wasn don cuz
""",
    "you": """
you your youre youve youll youd u ur yourself yours ya du dein deine deinen dich dir tu te toi vous votre
vos ton ta tes tú usted ustedes ti tus você voce vc vocês teu tua seu sua suo tuo lei jij je jouw ты тебя
тебе твой вы вас вам ваш ciebie tobie twój bạn mày anh em sen senin claude agent assistant gpt
""",
    "i": """
i im ive ill id my me mine myself we were weve our us ours lets ich mir mich mein meine wir uns je jai moi
mon ma mes nous notre yo mi mí nosotros eu meu minha nós io mio mia noi ik mijn wij я мне меня мой мы нас
нам ja mnie tôi mình toi minh ben
""",
    "did": """
did made changed removed deleted added broke used put created ignored forgot missed skipped said claimed
told assumed moved renamed replaced wrote committed pushed reverted ran updated implemented fixed left took
went got gave messed misunderstood misread edited modified built merged installed overwrote dropped lost
duplicated introduced invented hallucinated failed stopped started didnt havent hast hat gemacht gelöscht
geändert vergessen entfernt benutzt as avez fait supprimé changé oublié utilisé modifié cassé has ha hiciste
borraste cambiaste olvidaste usaste quitaste rompiste fez apagou mudou esqueceu usou removeu quebrou hai
fatto cancellato cambiato dimenticato rimosso usato hebt gedaan vergeten verwijderd сделал удалил изменил
забыл сломал добавил использовал убрал поменял zrobiłeś usunąłeś zmieniłeś zapomniałeś đã rồi xóa
""",
    "ought": """
should must shouldnt mustnt need needs needed have has supposed ought required meant expected expect want
wanted soll sollst sollte solltest musst muss müssen doit dois devrait devrais faut devez debe debes debería
deberías tienes hay deve deveria precisa tem dovrebbe devi bisogna moet moeten zou должен должна должно надо
нужно следует musi powinien powinno trzeba phải nên cần hãy
""",
    "ever": """
always never ever every each everytime whenever anytime future forward onwards default generally usually
rule convention standard immer nie niemals jedes künftig zukunft grundsätzlich toujours jamais désormais
dorénavant chaque siempre nunca jamás adelante cada sempre adiante mai ogni altijd nooit voortaan telkens
всегда никогда впредь отныне каждый zawsze nigdy luôn mỗi
""",
    "still": """
still again already yet anymore same keep keeps keeping continues twice repeatedly constantly persist
persists remains remain noch wieder schon immer weiterhin encore toujours déjà todavía aún sigue siguen otra
ya mismo ainda novamente continua já mesmo ancora sempre nuovo già stesso nog steeds weer опять снова еще
ещё всё все уже znowu nadal wciąż vẫn còn lại hala
""",
    "but": """
but instead rather actually however though although except only just unless otherwise aber sondern statt
stattdessen doch nur eigentlich mais plutôt seulement lieu pero sino sólo solo vez mas porém apenas só invés
ma invece però maar alleen plaats но а вместо только ale tylko zamiast nhưng mà thay chỉ nhung
""",
    "why": """
why warum wieso weshalb pourquoi porqué porque pq perché waarom почему зачем dlaczego sao neden
""",
    "what": """
what how when where which who whats hows wheres whos wie wo wer wann welche quoi comment où quel quelle qui
qué cómo dónde cuál quién cuándo que como qual quem onde quando cosa come dove quale chi wat hoe waar welke
что как где какой кто когда co jak gdzie który gì đâu nào sao thế ne nasıl
""",
    "bad": """
error errors fail failed failing fails failure broken breaks breaking broke wrong wrongly bug bugs buggy
issue issues problem problems crash crashes crashed crashing missing incorrect incorrectly bad badly weird
stuck blank empty lost invalid mess messed mistake mistakes horrible terrible awful ugly worse worst stupid
dumb useless inconsistent unnecessary duplicate duplicated duplicates overlapping overlap hidden cut off
unreadable confusing misleading outdated stale annoying strange odd slow doesnt isnt cant falsch fehler
kaputt falsche fehlt erreur faux fausse mauvais cassé problème manque mal fallo falla roto incorrecto falta
problema erro errado errada quebrado sbagliato errore rotto manca fout fouten kapot probleem ошибка ошибки
неправильно неверно сломано проблема źle błąd błędy lỗi sai hỏng loi
""",
    "good": """
good great nice perfect thanks thank works working worked yes yeah yep ok okay cool awesome love excellent
right correct fine sure better amazing super gut danke ja genau passt bien merci oui parfait vale gracias sí
si perfecto genial obrigado sim bom ótimo perfeito grazie sì bene perfetto goed dank prima спасибо да хорошо
отлично dobrze dzięki tak ổn tốt đúng được ừ
""",
    "back": """
revert reverted undo rollback restore back discard discarded previous original before rückgängig zurück
annule reviens restaure deshaz revierte restaura vuelve desfaça reverta volte annulla ripristina terug
откати верни обратно cofnij przywróć
""",
    "keep": """
remember memory memorize note rule rules forget mind document convention guideline guidelines instructions
preference preferences merk merke vergiss regel regeln souviens rappelle oublie règle retiens recuerda
olvides regla reglas memoriza lembre esqueça regra regras ricorda dimenticare regola onthoud vergeet запомни
забудь правило правила zapamiętaj pamiętaj regułę nhớ quên
""",
    "stop": """
stop wait hold cancel abort quit pause halt warte stopp arrête arrêtez attends para espera detente pare
espere fermati aspetta wacht стой подожди хватит прекрати перестань czekaj przestań dừng khoan
""",
    "do": """
add create make fix update run build implement write explain show give check test deploy commit push
continue proceed start generate review analyze read look find set change remove delete move rename use
install open help tell summarize list merge refactor convert include ensure try go do put get draft plan
design save verify investigate erstelle schreibe füge mach zeige erkläre prüfe crée écris ajoute fais montre
explique vérifie corrige crea escribe agrega añade haz muestra explica revisa arregla crie cria escreva
adicione faça mostre corrija scrivi aggiungi fai mostra spiega controlla maak schrijf voeg toon создай
напиши добавь сделай покажи объясни проверь исправь stwórz napisz dodaj zrób pokaż tạo viết thêm sửa kiểm
làm xem tao viet them sua lam
""",
    "ask": """
please can could would want need lets let like pls plz may bitte kannst könntest möchte will svp peux
pourrais veux voudrais puedes podrías quiero favor podes pode poderia quero puoi potresti voglio kan kun wil
пожалуйста можешь хочу давай proszę możesz chcę hãy giúp muốn cho
""",
    "guess": """
think thought maybe seems seem looks look guess perhaps probably might believe feel wonder sure denke glaube
vielleicht scheint pense crois peut semble creo parece quizás acho talvez penso credo forse sembra denk
misschien думаю кажется может myślę chyba nghĩ
""",
    "see": """
see seeing saw shows showing show appears appear appearing getting get gets got looks looking happens
happening happened noticed notice find says saying sehe bekomme zeigt vois affiche reçois veo aparece sale
muestra vejo mostra vedo appare zie krijg вижу показывает появляется widzę thấy hiện bị
""",
    "too": """
too much many more less enough way so very extremely overly zu viel trop demasiado mucho muito demais troppo
te veel слишком za dużo quá
""",
    "swear": """
fuck fucking fucked fck wtf wth shit bullshit damn dammit hell crap idiot stupid ffs omg omfg dude man bro
seriously ridiculous frustrating frustrated annoying annoyed scheiße verdammt putain merde joder mierda
porra merda cazzo verdomme блять черт kurwa cholera vcl đm ugh argh
""",
    "this": """
this that it its thats these those there they them here dies das es ça cela ce esto eso esta este isso isto
esse essa questo quello dit dat это этот эта to này đó cái
""",
    "aux": """
is are was were be been being am has had does do ist sind war est sont était es son está están fue é são foi
è sono era zijn был была jest są là bị
""",
    "says": """
said asked told mentioned specified wanted meant say asking saying requested explained gesagt meinte wollte
dit demandé voulais dije pedí quería disse falei pedi queria detto chiesto volevo zei bedoelde сказал
говорил просил хотел mówiłem chciałem bảo nói
""",
    "test": """
test tests build lint typecheck commit branch pr deploy main push docs readme changelog plan task spec
""",
}
"""Class → its words."""

PARTS = {
    "not": """
不 没 沒 别 無 无 未 ない ません ぬ 안 않 못 아니 없 ไม่ ليس لا لم
""",
    "you": "你 您 あなた 君 너 당신 คุณ أنت",
    "i": "我 私 俺 僕 나 내 우리 ผม ฉัน أنا",
    "did": "了 把 被 过 過 した ました 했 았 었 แล้ว",
    "ought": """
应该 應該 要 必须 必須 需要 得 べき 必要 해야 ต้อง ควร يجب
""",
    "ever": """
总是 每次 以后 今后 从现在 始终 一律 永远 所有 都 常に 必ず 毎回 これから 항상 절대 매번 앞으로
เสมอ ทุกครั้ง دائما
""",
    "still": """
还 還 又 再 仍 依然 一直 已经 まだ また もう 아직 또 계속 여전히 ยัง อีก ما زال
""",
    "but": """
但 而是 只 就 却 其实 不过 でも だけ ではなく じゃなく 하지만 말고 만 แต่ لكن بدلا
""",
    "why": """
为什么 為什麼 为啥 怎么会 なぜ どうして なんで 왜 ทำไม لماذا
""",
    "what": """
什么 什麼 怎么 怎麼 哪 吗 嗎 呢 多少 如何 何 どう どこ か？ 뭐 어떻게 어디 อะไร ยังไง ما
هو كيف
""",
    "bad": """
错 錯 问题 問題 失败 报错 bug 不对 不對 坏 乱 缺 少了 エラー 間違 違 おかしい 失敗 오류 에러 틀렸
잘못 문제 ผิด خطأ
""",
    "good": """
好 可以 对 對 谢谢 行 成功 はい ありがとう 良い いい OK 네 좋 고마 ดี نعم شكرا
""",
    "back": """
撤销 回滚 恢复 还原 改回 回退 戻 元に 되돌 원래 กลับ تراجع
""",
    "keep": """
记住 記住 记得 記得 规则 規則 忘 覚えて ルール 記憶 기억 규칙 잊지 จำ تذكر
""",
    "stop": """
停 等等 等一下 别 慢 止め やめ 待って 그만 멈춰 잠깐 หยุด توقف
""",
    "do": """
帮我 请 給 给我 创建 添加 修改 检查 看 写 生成 继续 作って 追加 書いて して 해줘 만들 추가 ช่วย
أضف
""",
    "guess": "觉得 感觉 可能 好像 似乎 应该是 思う かも 같아 คิดว่า",
    "see": "看到 显示 出现 发现 見え 表示 出て 보여 나와 เห็น",
    "too": "太 很 更 多 すぎ とても 너무 มาก",
    "swear": "妈 靠 操 垃圾 傻 くそ 시발 젠장",
    "this": "这 這 那 它 これ それ この その 이거 그거 นี้ هذا",
    "aux": "是 有 在 です ある 이다 있 เป็น",
    "says": "说 說 让 讓 要求 言った 言って 말했 บอก قلت",
}
"""Class → parts of words, for scripts without blanks."""
