"""Words that praise or warn without saying what to do: nobody can check whether they were followed."""

from __future__ import annotations

from improve.lexicon.tables import words_of

WORDS = words_of(
    """
    clean cleanly good better best great nice proper properly correct correctly right appropriate appropriately
    suitable suitably reasonable reasonably sensible sensibly careful carefully cautious cautiously caution
    attention thorough thoroughly robust robustly maintainable maintainability readable readability quality
    high-quality professional professionally simple simply simplicity complex complexity elegant elegantly
    efficient efficiently optimal optimise optimize performant scalable idiomatic modern meaningful sense
    necessary unnecessary needed possible smart smartly wise wisely diligent precise accurate accurately
    harder mindful thoughtful thoughtfully respect respectful quickly small short concise brief minimal
    practices preferences details act think consider effective effectively adequate adequately sufficient
    sauber saubere sauberen sauberer sauberes gut gute guten guter gutes besser ordentlich ordentliche sorgfältig
    vorsichtig vorsicht sinnvoll sinnvolle angemessen lesbar lesbarkeit wartbar qualität einfach richtig korrekt
    propre propres bon bonne bons bonnes correctement soigneusement attention qualité lisible lisibilité simple
    prudent approprié appropriée
    limpio limpia limpios bueno buena buenos buenas cuidado cuidadoso correctamente calidad legible mantenible
    adecuado adecuada sencillo apropiado
    limpo limpa bom boa bons boas qualidade adequado legível manutenível corretamente
    чистый чистую чистого хороший хорошие хорошо качественный качественные качественно правильно аккуратно
    аккуратный внимательно осторожно осторожен понятный читаемый
    """
)
"""Words of languages that put blanks between them."""

UNSPACED = words_of(
    """
    高质量 高品质 干净 整洁 规范 合理 适当 恰当 注意 小心 仔细 认真 优雅 良好 最佳实践 健壮 尽可能
    きれい 綺麗 適切 丁寧 慎重 注意 品質 読みやすい シンプル 良い なるべく
    깔끔 깨끗 적절 좋은 품질 신중 주의 조심 꼼꼼 가능한
    """
)
"""Parts of words of the others."""
