// Formats SQL for reading, with a line for each clause. Quoted texts and names stay unchanged.

const CLAUSE = /^(?:with|select|from|where|order by|group by|having|limit|offset|union all|left outer join|left join|join|insert into|update|delete from|returning|set|values|on conflict|cross join lateral|left join lateral)\b/i;

export function laidOut(sql: string): string {
  let out = "";
  let depth = 0;
  for (let at = 0; at < sql.length; ) {
    const rest = sql.slice(at, at + 24);
    const quoted = /^(?:'(?:[^']|'')*'|"(?:[^"]|"")*")/.exec(sql.slice(at));
    if (quoted) {
      out += quoted[0];
      at += quoted[0].length;
      continue;
    }
    const startsWord = at === 0 || /[\s(]/.test(sql[at - 1]!);
    const clause = startsWord && CLAUSE.exec(rest);
    if (clause) {
      if (out.trim()) out = out.trimEnd() + "\n" + "  ".repeat(depth);
      out += clause[0].toUpperCase();
      at += clause[0].length;
      continue;
    }
    const character = sql[at]!;
    if (character === "(") depth++;
    if (character === ")") depth = Math.max(0, depth - 1);
    out += character === "\n" ? " " : character;
    at++;
  }
  return out.replace(/ {2,}(?=\S)/g, (spaces, offset: number) => (out[offset - 1] === "\n" ? spaces : " "));
}
