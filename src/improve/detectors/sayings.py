"""How agents claim, predict, own up and agree, and how people say that it does not work: patterns by language.

A line is one alternative, a backslash at its end goes on with it. The languages are those of `phrase`. Tables only.
"""

from __future__ import annotations

import re
from functools import cached_property


class Saying:
    """One of the tables: a pattern that is made when it is first needed, behind a gate of plain words.

    Args:
        gate: Pieces of text of which a match holds at least one, in lower case: looked for first, for it is cheap.
    """

    def __init__(self, gate: str, table: str) -> None:
        self.gate = tuple(word.replace("_", " ") for word in gate.split())
        self._table = table

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Make one pattern of the table, for text in lower case."""
        lines = self._table.replace("\\\n", "").splitlines()
        return re.compile("|".join(f"(?:{line})" for line in lines if line))

    def near(self, text: str) -> bool:
        """Tell whether a text holds a word of the gate."""
        low = text.lower()
        return any(word in low for word in self.gate)

    def within(self, text: str) -> bool:
        """Tell whether it is said somewhere in a text."""
        low = text.lower()
        return any(word in low for word in self.gate) and bool(self.pattern.search(low))


CHECKED = Saying(
    """
pass succe green clean verified tests todas todos testy pruebas тест 测试 測試 テスト 테스트
""",
    r"""
\b(?:all|every|the)\b[^.!?\n]{0,40}\b(?:tests?|checks?|specs?|suites?|builds?|lint\w*)\b[^.!?\n]{0,20}\b(?:pass(?:es|\
ed|ing)?|succeeds?|succeeded|green|clean)\b
\b(?:tests?|checks?|build)\s+(?:now\s+)?(?:all\s+)?(?:pass|passes|passing|passed|succeeds|is green|are green)\b
\b\d+\s*/\s*\d+\s+(?:tests?\s+)?pass
\bverified (?:that )?(?:it|this|everything|the)\b
\balle tests (?:laufen|sind grün|bestanden)|\btests (?:laufen|sind) (?:jetzt |nun )?(?:durch|grün)
\btous les tests passent|\bles tests passent
\btodas? las pruebas pasan|\btodos los tests pasan|\blas pruebas pasan
\btodos os testes (?:passam|passaram)|\bos testes passa
\btutti i test passano|\balle tests slagen|\bwszystkie testy przechodz
все тесты (?:проходят|прошли)|тесты проходят
(?:所有|全部)?(?:测试|測試)(?:都|均|已|全部)*(?:通过|通過)
テスト(?:は|が|も)?(?:すべて|全て|全部)?(?:通り|パス|成功)|테스트(?:가|는|도)?\s*(?:모두|전부)?\s*통과
""",
)
"""A claim that something was checked: the costliest one to be false."""
DONE = Saying(
    """
fixed resolved solved working done complete live deployed ready restored implemented corrected work should succes ✅
🎉 all_set behoben gelöst erledigt fertig repariert korrigiert funktioniert erfolgreich corrig résolu réparé terminé
fonctionne marche succès fait arregl solucion resuelt list funciona éxito hecho resolvid consert pront concluíd sucesso
resolvi feito corrett risolt sistemat complet funziona successo opgelost gerepareerd hersteld klaar werkt исправ
работает
успешно готово решен naprawi działa pomyślnie gotowe đã thành_công hoạt_động 已 修复 成功 现在 完成 搞定 しました
動作 済み 했습니다
되었 완료 해결 정상
""",
    r"""
\b(?:is|are|it's|that's|'s|has been|have been|was|were)\s+(?:now\s+)?(?:all\s+)?(?:fixed|resolved|solved|working|done|\
complete|completed|live|deployed|ready|restored)\b
\b(?:i've|i have|i)\s+(?:now\s+|successfully\s+)*(?:fixed|resolved|solved|completed|implemented|deployed|corrected|\
restored)\b
\b(?:everything|it|this|that|all|the \w+(?: \w+)?)\s+(?:now\s+)?works?\b(?:\s+(?:now|correctly|perfectly|as expected|\
fine))?
\bshould\s+(?:now\s+)?(?:work|be fixed|be resolved|be working|appear|show up|load|be visible|stop|look)\b
\bsuccessfully\b|✅|🎉|\ball (?:set|done)\b|^\s*\**(?:done|fixed|completed?)\b
\b(?:ist|sind|wurde|wurden) (?:jetzt |nun )?(?:behoben|gelöst|erledigt|fertig|repariert|korrigiert)\b
\bfunktioniert (?:jetzt|nun|wieder)\b|\berfolgreich\b|^\s*(?:fertig|erledigt|behoben)\b
\b(?:est|sont|a été) (?:maintenant |désormais )?(?:corrigée?s?|résolue?s?|réparée?s?|terminée?s?)\b
\b(?:fonctionne|marche) (?:maintenant|désormais)\b|\bavec succès\b|\bj'ai (?:corrigé|résolu|réparé)\b
^\s*(?:c'est fait|terminé|corrigé)\b
\b(?:está|están|quedó|ha sido) (?:ahora )?(?:corregid|arreglad|solucionad|resuelt|list)[oa]s?\b
\b(?:ahora funciona|funciona ahora|ya funciona)\b|\bcon éxito\b|\bhe (?:corregido|arreglado|solucionado)\b
^\s*(?:listo|hecho|corregido)\b
\b(?:está|estão|foi|foram) (?:agora )?(?:corrigid|resolvid|consertad|pront|concluíd)[oa]s?\b
\b(?:agora funciona|funciona agora)\b|\bcom sucesso\b|\b(?:corrigi|consertei|resolvi)\b|^\s*(?:pronto|feito)\b
\b(?:è|sono|è stato) (?:ora )?(?:corrett|risolt|sistemat|complet)\w+|\bora funziona\b|\bcon successo\b
\bho (?:corretto|risolto|sistemato)\b
\b(?:is|zijn) (?:nu )?(?:opgelost|gerepareerd|hersteld|klaar)\b|\bwerkt nu\b|\bnu werkt\b
исправлен|исправил|теперь (?:всё |все )?работает|успешно|^\s*готово|решен[ао]
naprawi(?:on|łem)|teraz działa|działa teraz|pomyślnie|^\s*gotowe
đã (?:sửa|khắc phục|hoàn thành|fix)|thành công|hoạt động bình thường
(?:已|已经|已經)(?:修复|修復|完成|解决|解決|修正|更新|部署)|修复完成|成功|现在(?:应该)?可以|(?:搞定|完成)了
修正しました|完了しました|解決しました|直しました|成功しました|動作します|修正済み
수정했습니다|수정되었습니다|완료(?:했|되었|됐)|해결(?:했|되었|됐)|정상(?:적으로)? (?:동작|작동)
""",
)
PREDICTS = Saying(
    """
will should ought sollte müsste wird devrai deber deve dovrebbe zou должн powinno 应该 はず でしょう 이제 이번
""",
    r"""
\b(?:this|that|it|these|which|now)\b[^.!?\n]{0,30}\b(?:will|should|ought to)\s+(?:now\s+|all\s+|finally\s+)*(?:fix|\
work|pass|solve|resolve|compile|build|succeed|do it|do the trick)\b
\b(?:tests?|build|checks?|command|install\w*)\s+(?:will|should)\s+(?:now\s+|all\s+)*(?:pass|work|succeed|compile|\
be green)\b
\b(?:sollte|müsste|wird) (?:jetzt|nun)\b[^.!?\n]{0,40}\b(?:funktionieren|laufen|gehen|durchlaufen|klappen)\b
\b(?:devrait|devraient) (?:maintenant )?(?:fonctionner|passer|marcher)\b
\b(?:debería|deberían) (?:ahora )?(?:funcionar|pasar)\b|\b(?:deve|devem|deveria) (?:agora )?(?:funcionar|passar)\b
\bdovrebbe (?:ora )?funzionare\b|\bzou (?:nu )?moeten werken\b
должн[оаы]\s+(?:теперь\s+)?(?:работать|пройти|заработать)
\bpowinno (?:teraz )?(?:działać|przejść)\b|(?:现在|這次|这次)?应该(?:可以|能|会|就)(?:通过|正常|工作|运行|解决|成功)
(?:はず|でしょう)です?。?$|(?:이제|이번에는)[^.\n]{0,20}(?:될|통과할|작동할) 것
""",
)
ASSUMED = Saying(
    """
assum thought expect believed presumed my_guess angenommen gedacht annahme supposé cru pensé asumí supuse pensé creí
supus achei pensei предпол думал считал 以为 假设
""",
    r"""
\bi\s+(?:had\s+|wrongly\s+|incorrectly\s+|mistakenly\s+)*(?:assumed|thought|expected|believed|\
presumed)\b[^.!?\n]{5,160}\b(?:but|however|actually|turns? out|in fact)\b
\bmy (?:assumption|expectation|guess)\b[^.!?\n]{0,80}\b(?:was|is|were) (?:wrong|incorrect|false|mistaken)
\bich (?:hatte |habe )?(?:fälschlich\w* )?(?:angenommen|gedacht)\b|\bmeine annahme war falsch
\bj'(?:avais|ai) (?:supposé|cru|pensé)\b[^.!?\n]{5,160}\b(?:mais|en fait)\b
\b(?:asumí|supuse|pensé|creí)\b[^.!?\n]{5,160}\b(?:pero|en realidad)\b
\b(?:assumi|supus|achei|pensei)\b[^.!?\n]{5,160}\b(?:mas|na verdade)\b
я (?:предположил|думал|считал)[^.!?\n]{5,160}(?:но|однако|на самом деле)
我(?:原?以为|假设|误以为)[^。\n]{3,80}(?:但|其实|实际)
""",
)
ADMITS = Saying(
    """
should my_mistake my_bad my_fault my_error my_apolog my_oversight apolog sorry i_forgot i_overlooked i_mis i_ignored
i_skipped i_failed i_was i_made i_messed i_screwed i_got_that i_went i_jumped i_over i_violated i_broke i_didn't
i_did_not
that_was leid mein_fehler entschuldig hätte vergessen übersehen missverstanden désolé erreur m'excuse j'aurais
oublié mal_compris
excuses equivoqué mi_error un_error siento disculp debí debería olvidé malinterp meu_erro desculp deveria esqueci
enganei errei
entendi dispiace errore scuso avrei dimentic sbagliato frainteso scusa fout spijt ik_had vergeten ошиб извин
прощения простите
долж забыл упустил неправильно следовало błąd przepraszam powinienem zapomnia pomyli xin_lỗi lỗi đáng_lẽ quên hiểu
抱歉 对不起
對不起 我 申し訳 すみません ごめん 失礼 私の べきでした 見落 忘れ 勘違 죄송 제_ 미안 했어야 잘못 놓쳤 깜빡
""",
    r"""
\bi\s+(?:really\s+)?should(?:\s+have|'ve|n't have|\s+not have)\b
\bmy (?:mistake|bad|fault|error|apologies|oversight)\b
\b(?:(?:i|we)\s+(?:do\s+|sincerely\s+|deeply\s+)*apologi[sz]e|apologies for)\b(?! (?:for )?(?:the|any|a) (?:\w+ )?\
(?:delay|wait|inconvenience|length|long|noise|interruption))
\bi'm (?:so |very |really )?sorry\b(?!,? (?:but|to hear|(?:that )?you|i can't|i cannot|i'm unable))
^\s*(?:so )?sorry\b(?! to hear|,? (?:but )?(?:i can't|i cannot|i'm unable|(?:for|about) the (?:delay|wait)))
\bi (?:forgot|overlooked|misread|misunderstood|misinterpreted|ignored|skipped|failed to|was wrong|made a mistake|\
made an error|messed up|screwed up|got that wrong|went too far|jumped ahead|overcomplicated|over-?engineered|violated|\
broke)\b
\bi (?:didn't|did not) (?:follow|read|check|verify|ask|listen|notice|run|test|respect)\b
\bi was (?:wrong|mistaken|careless|too (?:hasty|eager))\b|\bthat was (?:wrong|my|a mistake|careless|sloppy)
\b(?:es )?tut mir leid\b|\bmein fehler\b|\bentschuldig|\bich hätte\b[^.!?\n]{0,80}\b(?:sollen|müssen)\b
\bich habe\b[^.!?\n]{0,40}\b(?:vergessen|übersehen|missverstanden)\b
\b(?:je suis )?désolée?\b|\bmon erreur\b|\bje m'excuse\b|\bj'aurais dû\b
\bj'ai (?:oublié|mal compris|fait une erreur)\b|\btoutes mes excuses\b
\bme equivoqué\b|\bmi error\b|\bfue (?:mi|un) error\b|\blo siento\b|\bdisculp|\bdebí haber\b|\bdebería haber\b
\bolvidé\b|\bme disculpo\b|\bmalinterpreté\b
\bmeu erro\b|\bdesculp|\beu deveria ter\b|\bdeveria ter\b|\besqueci\b|\bme enganei\b|\berrei\b|\bpeço desculpas\b
\bentendi errado\b
\bmi dispiace\b|\bmio errore\b|\bmi scuso\b|\bavrei dovuto\b|\bho (?:dimenticato|sbagliato|frainteso)\b|\bscusa\b
\bmijn (?:fout|excuses)\b|\bhet spijt me\b|\bik had\b[^.!?\n]{0,60}\bmoeten\b|\bik ben\b[^.!?\n]{0,30}\bvergeten\b
\bsorry,? (?:voor|dat|ik)\b
моя ошибка|извините|извини|прошу прощения|простите|(?:я )?(?:должен|должна) был
я (?:забыл|ошибся|ошиблась|упустил|неправильно понял)|мне следовало
\bmój błąd\b|\bprzepraszam\b|\bpowinienem był\b|\bzapomniałem\b|\bpomyliłem\b
xin lỗi|lỗi của tôi|đáng lẽ (?:tôi|mình)|tôi (?:đã )?(?:quên|hiểu sai|hiểu nhầm)
抱歉|对不起|對不起|我的(?:错|錯|失误|疏忽)|我(?:本|早|不|就)应该|我本该|我(?:忘|漏|搞错|弄错|理解错|误解|疏忽)|是我(?:的|没)
申し訳|すみません|ごめんなさい|失礼しました|私の(?:ミス|誤り|間違い)|すべきでした|べきでした|見落とし|忘れていました|\
勘違い
죄송|제 (?:실수|잘못|불찰)|미안|했어야|잘못 (?:이해|판단)|놓쳤|깜빡
""",
)
AGREES = Saying(
    """
right correct good_catch good_point fair_ great_catch recht raison razón razão certo ragione gelijk прав rację đúng
对 對 通り 指摘 맞 지적
""",
    r"""
\byou(?:'re| are) (?:absolutely |completely |totally |quite |so )?(?:right|correct)\b|\bgood (?:catch|point)\b
\bfair (?:point|enough|criticism)\b|\bgreat catch\b
\b(?:du hast|sie haben) (?:völlig |absolut |vollkommen )?recht\b
\b(?:tu as|vous avez) (?:tout à fait |totalement |absolument )?raison\b
\btienes? (?:toda la )?razón\b|\b(?:você|voce) (?:tem|está) (?:toda )?(?:razão|certo)\b|\btem razão\b
\bhai (?:perfettamente |assolutamente )?ragione\b
\bje hebt (?:helemaal )?gelijk\b|(?:вы|ты) (?:абсолютно |совершенно )?прав[аы]?\b|\bmasz (?:całkowitą )?rację\b
bạn nói đúng|bạn đúng
(?:你|您)(?:说|說)得?(?:很|完全|非常)?(?:对|對)|(?:你|您)是(?:对|對)的|おっしゃる通り|その通り|ご指摘|맞습니다|\
말씀이 맞|지적하신
""",
)
FAILS = Saying(
    """
still broken fail not n't nt_ never same no_change nothing worse nicht immer fehler pas toujours même sigue todav aún
no_ mismo continua ainda não mesmo non_ ancora stesso niet steeds не_ вс ещ по-прежнему та_же опять ничего nadal
wciąż dalej
nie_ vẫn không 还是 仍然 依然 還是 没 不 报错 同样 まだ 直って 動か 変わ 同じ 여전히 아직도 안 똑같 작동
""",
    r"""
(?<!you )\bstill\b[^.!?\n]{0,50}\b(?:not|no|n't|fail\w*|broken|broke|error\w*|wrong|missing|the same|same|crash\w*|\
empty|blank|\
see|get|getting|seeing|have|there|shows?|happen\w*|stuck|hang\w*|red)\b
\bstill (?:doesn|isn|won|can|not|don|didn|no|tiny|\w+ing\b)
\b(?:it|that|this|the \w+)\s+(?:still\s+)?(?:is|was|'s)?\s*(?:broken|failing|failed|not working|not fixed)\b
\b(?:doesn'?t|does not|didn'?t|did not|isn'?t|is not|won'?t|not|never)\s+(?:\w+\s+)?(?:work\w*|fix\w*|help|run|\
compile|build|start|load|change\w*|appear|show\w*|solved?|pass)\b
\bsame (?:error|issue|problem|thing|result|bug)\b|\bno change\b|\bnothing (?:changed|happen\w*)\b
\b(?:it|they|tests?|build|ci)\s+fail(?:s|ed|ing)?\b|\bgot worse\b|\beven worse\b
\b(?:funktioniert|geht|läuft|klappt) (?:immer noch |noch immer |noch )?nicht\b|\bimmer noch\b|\bnoch immer\b
\b(?:gleicher?|derselbe) fehler\b
\b(?:ne )?(?:marche|fonctionne) (?:toujours )?pas\b|\btoujours (?:pas|la même|le même)\b|\bmême (?:erreur|problème)\b
\b(?:sigue|siguen|todavía|aún)\b[^.!?\n]{0,40}\b(?:sin|no|error|fallando|igual|mal)\b|\bno (?:funciona|sirve|anda)\b
\bmismo (?:error|problema)\b
\b(?:continua|ainda)\b[^.!?\n]{0,40}\b(?:não|erro|sem|igual)\b|\bnão (?:funciona|funcionou|deu|resolveu|mudou)\b
\bmesmo (?:erro|problema)\b
\bnon (?:funziona|va)\b|\bancora\b[^.!?\n]{0,30}\berrore\b|\bstesso (?:errore|problema)\b
\bwerkt (?:nog steeds |nog )?niet\b|\bnog steeds\b
не работает|не помогло|вс[её] ещ[её]|по-прежнему|та же ошибка|опять не|ничего не изменилось
\b(?:nadal|wciąż|dalej)\b[^.!?\n]{0,30}\b(?:nie|błąd)\b|nie działa
vẫn (?:không|chưa|bị|lỗi|còn)|không (?:được|hoạt động|chạy)|还是(?:不|没|报|有|一样|这样)|仍然|依然|還是|\
没(?:有)?(?:用|效果|变化|生效|解决|反应)
不(?:行|起作用|工作|对)|报错|同样的(?:错误|问题)
まだ|直って(?:い)?ない|動かない|動きません|変わらない|変わって(?:い)?ない|同じエラー|여전히|아직도|안 ?(?:돼|되|됨)|\
똑같|작동(?:하지|을) 않
""",
)
GOES_ON = Saying(
    "",
    r"""
(?:please |pls |just |ok(?:ay)?\W+|yes\W+|now |so )*(?:continue|go on|go ahead|keep going|carry on|proceed|resume|\
retry\
|try again|again|next|start|begin|do it|run it|ok(?:ay)?|k|y|yes|yep|yeah|sure|fine|good|great|nice|perfect|cool|\
thanks?\
|thank you|thx|lgtm|done|hi|hello|hey|test|sorry|oops|wait|stop|hm+|never ?mind|nvm|\d+|[a-d])\
(?: (?:please|pls|then|now|on|with (?:it|that|this)|(?:from )?where you (?:left off|stopped)))*
weiter|mach weiter|ja|danke|ok|continue[rz]?|vas-y|oui|merci|sigue|contin[uú]a|dale|sí|si|gracias|continue|pode|sim
obrigad[oa]|vai|avanti|sì|grazie|ga (?:door|verder)|doorgaan|продолжай|продолжи|да|дальше|спасибо|kontynuuj|tak|dalej
tiếp(?: tục)?|ok làm đi|继续|繼續|接着|好的?|可以|是的?|行|嗯|谢谢|続けて(?:ください)?|はい|お願いします\
|계속(?:해(?:줘|주세요)?)?|네|응
""",
)
"""All of what approves or asks to go on; to be matched in full, without the signs around it."""

WASTED = Saying(
    """
waste unnecessary need_to needed_to for_nothing pointless overkill burn tokens unnötig verschwend umsonst perte inutile
pérdida innecesari perda desnecess perdita spreco verspil onnodig трат напрасно зря strata niepotrzebn 浪费 浪費
没必要 無駄 낭비
""",
    r"""
\b(?:such |what |just |a |complete |total |huge )+waste\b|\bwast(?:ed|ing) (?:my|our|all|so|half|the|\d+|time|tokens|\
money)
\b(?:was|were|is|are) (?:all |completely |totally |so |absolutely |just |quite )*(?:unnecessary|pointless|\
for nothing|overkill)\b
\byou (?:didn'?t|did not|never) need(?:ed)? to\b|\bburn(?:ed|t|ing)\b[^.!?\n]{0,40}\b(?:tokens|credits|budget|quota)\b
\b(?:war|ist|waren) (?:völlig |total |komplett |absolut |alles )*(?:unnötig|umsonst|überflüssig|verschwendung|\
zeitverschwendung)\b
\b(?:une|de la) perte de temps\b|\b(?:était|c'est) (?:totalement |complètement )?inutile\b
\bp[ée]rdida de tiempo\b|\b(?:fue|era) innecesari[oa]\b|\bperda de tempo\b|\bfoi desnecessári[oa]\b
\bperdita di tempo\b|\buno spreco\b|\btijdverspilling\b|\bwas onnodig\b|трата времени|потрат\w+ (?:зря|впустую)|\
напрасно
\bstrata czasu\b|\bniepotrzebnie\b|浪[费費](?:了)?(?:我|时间|時間|token|钱)|(?:完全|根本)没必要|時間の無駄|시간 ?낭비
""",
)
"""A person says that what the agent did was for nothing."""
