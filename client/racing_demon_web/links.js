// Codes of tables, as people type and paste them.

/**
 * The table's code in what somebody has typed or pasted: a code, a link, or a line with one.
 * @param {string} typed
 * @returns {{code: string, host: string, scheme: "http" | "https"}} host: of the server that a link names, or empty
 */
export function readCode(typed) {
  const text = typed.normalize("NFKC").replace(/[\u200b-\u200f\u2060\ufeff]/g, "");
  const link = /(?:(\w+):\/\/)?([^\s/#"'<>]+)[^\s#]*?[/#]([a-z]{4,16})(?![\w/])/i.exec(text);
  return {
    code: (link?.[3] ?? text.replace(/[^a-z]/gi, "")).toUpperCase(),
    host: link?.[2].toLowerCase() ?? "",
    scheme: /^(https|wss)$/i.test(link?.[1] ?? "") ? "https" : "http",
  };
}
