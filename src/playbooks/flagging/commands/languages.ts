/** "Ignore your instructions" in other languages; over plain lower-case text, whose letters stay as they are. */
import { always, type Command } from "./command";

export const foreign: readonly Command[] = [
  always(
    String.raw`(?<!\p{L})(?:ignor(?:a|e|en)|olvid(?:a|e)|omit(?:e|a)|descart(?:a|e)|desobedec\p{L}*)(?!\p{L}).{0,30}(?:instrucciones|reglas|indicaciones|órdenes)`,
  ),
  always(
    String.raw`(?<!\p{L})(?:ignore[rz]?|oublie[rz]?|négligez?|passe outre) (?:toute?s|les|tes|vos|ces|ton|votre|mes|aux?)(?!\p{L}).{0,30}(?:instructions|consignes|règles|directives)`,
  ),
  always(
    String.raw`(?<!\p{L})(?:ignorier\p{L}*|vergiss|vergesst|missachte\p{L}*|übergeh\p{L}*)(?!\p{L}).{0,40}(?:anweisung|regel|vorgabe|instruktion|richtlinie)`,
  ),
  always(
    String.raw`(?<!\p{L})(?:ignor(?:a|i|are)|dimentic(?:a|are)|trascur(?:a|are))(?!\p{L}).{0,30}(?:istruzioni|regole|direttive)`,
  ),
  always(
    String.raw`(?<!\p{L})(?:ignore|esqueça|desconsidere|desobedeça)(?!\p{L}).{0,30}(?:instruções|regras|diretrizes)`,
  ),
  always(String.raw`(?<!\p{L})(?:negeer|vergeet)(?!\p{L}).{0,30}(?:instructies|regels|aanwijzingen)`),
  always(String.raw`(?<!\p{L})(?:zignoruj|ignoruj|zapomnij)(?!\p{L}).{0,30}(?:instrukcj|polece|zasad|reguł)`),
  always(
    String.raw`(?:игнорируй|проигнорируй|забудь|не соблюдай|отмени)\p{L}*.{0,30}(?:инструкци|указани|правил|команд)`,
  ),
  always(String.raw`(?:önceki|tüm).{0,20}(?:talimat|kural)\p{L}*.{0,20}(?:yok ?say|unut|görmezden)`),
  always(`(?:تجاهل|انس).{0,30}(?:التعليمات|القواعد|الأوامر)`),
  always(`(?:忽略|无视|無視|忘记|忘掉|忘記|不要遵守).{0,12}(?:指令|指示|规则|規則|提示|设定|設定|命令)`),
  always(
    `(?:以前|前|上記|これまで|すべて|全て|システム).{0,10}(?:指示|命令|ルール|規則|プロンプト).{0,8}(?:無視|忘れ)`,
  ),
  always(`(?:이전|위의?|모든|시스템).{0,10}(?:지시|명령|규칙|프롬프트).{0,8}(?:무시|잊)`),
];
