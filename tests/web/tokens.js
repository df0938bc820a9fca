// Prints where two scripts differ in more than comments and blanks: node tokens.js SOURCE MINIFIED [SOURCE MINIFIED ...]

import { readFileSync } from "node:fs";
import { parse } from "acorn";

/** @param {string} file */
function tokensOf(file) {
  const tokens = [];
  parse(readFileSync(file, "utf8"), { ecmaVersion: 2022, sourceType: "module", onToken: tokens });
  return tokens.map(({ type, value }) => `${type.label} ${value instanceof Object ? value.pattern : value}`);
}

const files = process.argv.slice(2);
for (let at = 0; at < files.length; at += 2) {
  const [source, minified] = [tokensOf(files[at]), tokensOf(files[at + 1])];
  const first = source.findIndex((token, number) => token !== minified[number]);
  if (first >= 0 || source.length !== minified.length)
    console.log(`${files[at]}: ${source.slice(first - 3, first + 3).join(" | ")}`);
}
