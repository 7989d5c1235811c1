/** How much text one delta of a stream carries. */
const pieceChars = 24;

/** By code points, so that no piece ends inside a character. */
export function pieces(text: string): string[] {
  const points = [...text];
  const cut: string[] = [];
  for (let at = 0; at < points.length; at += pieceChars) cut.push(points.slice(at, at + pieceChars).join(""));
  return cut;
}
