/** Texts that try to be more than text. Each holds a number, so that every one can be looked for. */

const MARK = "window.pwned=1";

/** Ways to break out of text into markup, script, address or layout. */
const KINDS: readonly ((n: number) => string)[] = [
  (n) => `<script>${MARK};alert(${n})</script>`,
  (n) => `<img src=x onerror="${MARK};alert(${n})">`,
  (n) => `<svg onload=${MARK}><text>${n}</text></svg>`,
  (n) => `</textarea><script>${MARK}</script> ${n}`,
  (n) => `</title></head><body onload=${MARK}> ${n}`,
  (n) => `"><a href="javascript:${MARK}">click ${n}</a>`,
  (n) => `' autofocus onfocus='${MARK}' x='${n}`,
  (n) => `[click](javascript:${MARK}) ![x](https://evil.example/${n}.png)`,
  (n) => `javascript:${MARK}//${n}`,
  (n) => `data:text/html,<script>${MARK}</script>${n}`,
  (n) => `<iframe srcdoc="<script>parent.${MARK}</script>"></iframe>${n}`,
  (n) => `<style>*{display:none}</style><link rel=stylesheet href=https://evil.example/${n}.css>`,
  (n) => `<meta http-equiv=refresh content="0;url=https://evil.example/${n}">`,
  (n) => `<base href="https://evil.example/"><form action=/x><button>${n}</button></form>`,
  (n) => `<!-- ${n} --!><script>${MARK}</script>`,
  (n) => `<![CDATA[<script>${MARK}</script>]]>${n}`,
  (n) => `&lt;script&gt;${MARK}&lt;/script&gt; &#60;b&#62; ${n}`,
  (n) => `\${${MARK}} {{constructor.constructor('${MARK}')()}} <%= ${n} %>`,
  (n) => `pay to \u202eknab live\u202c account ${n}`,
  (n) => `\u2067right to left isolate ${n}\u2069 and \u200fmarks\u200e`,
  (n) => `zero\u200bwidth\u200cjoin\u200d${n}\ufeff\u2060`,
  (n) => `tag\u{e0068}\u{e0069}\u{e0064}\u{e0064}\u{e0065}\u{e006e} characters ${n}`,
  (n) => `\u0000null\u0007bell\u001b[31mred\u001b[0m ${n}`,
  (n) => `line\u2028separator\u2029paragraph\u0085next ${n}`,
  (n) => `${"a\u0301\u0302\u0303\u0304\u0305".repeat(40)} ${n}`,
  (n) => `${"W".repeat(3_000)}${n}`,
  (n) => `${"\n".repeat(200)}${n}`,
  (n) => `${"‮".repeat(100)}${n}`,
  (n) => `раypal.com ɡoogle.com аpple ${n}`,
  (n) => `مرحبا ${n} שלום 👩‍👩‍👧‍👦🏳️‍🌈 ﷽﷽﷽`,
  (n) => `<details open ontoggle=${MARK}><summary>${n}</summary></details>`,
  (n) => `<math><mi xlink:href="data:x,<script>${MARK}</script>">${n}</mi></math>`,
  (n) => `<input type=hidden name=csrf value=${n}><button form=bulk name=to value=approved>`,
  (n) => `\ud800 lone surrogate ${n} \udfff`,
  (n) => `</script><script nonce="n_aaaaaaaaaaaaaaaaaaaaaaaaaa">${MARK}</script>${n}`,
  (n) => `<div id=help data-key=a class="card here" data-item>clobber ${n}</div>`,
  (n) => `<object data=https://evil.example/${n}></object><embed src=//evil.example/${n}>`,
  (n) => `%3Cscript%3E${MARK}%3C/script%3E ${n}`,
  (n) => `\u00a0\u3000\u2800 looks empty ${n} \u3164\u115f`,
  (n) => `<a href=https://evil.example/${n} ping=https://evil.example/ping>x</a>`,
];

/** `count` texts, every kind in turn. */
export const hostileTexts = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => KINDS[n % KINDS.length]?.(n) ?? "");
