/** The texts of the warnings (code 299) in a `Warning` header, which may hold several. */
export function warningTexts(header: string): readonly string[] {
  const texts: string[] = [];
  for (const [, code, quoted = ""] of header.matchAll(/(\d{3}) \S+ "((?:[^"\\]|\\.)*)"/g)) {
    if (code === "299") texts.push(quoted.replace(/\\(.)/g, "$1"));
  }
  return texts;
}
