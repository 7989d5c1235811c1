/** Colours are system ones where that is enough, so that light and dark both come from the reader's own setting. */
export const style = `
:root { color-scheme: light dark; --line: light-dark(#d9dde3, #353b45); --soft: light-dark(#5b6472, #9aa4b2);
  --ok: light-dark(#1a7f37, #4cc46a); --warn: light-dark(#9a6700, #d9a53a); --bad: light-dark(#b42318, #ff7b72);
  --read: light-dark(#2da44e, #3fb950); --write: light-dark(#bf8700, #d29922); --input: light-dark(#cf4a3c, #f0655a); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; font: 15px/1.5 system-ui, sans-serif;
  background: light-dark(#fff, #14171c); color: light-dark(#1c2127, #e3e7ed); }
h1 { margin: 0; font-size: 1.4rem; } h2 { margin: 2rem 0 .5rem; font-size: 1.05rem; }
header p, .legend, .note { margin: .25rem 0; color: var(--soft); }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 500; white-space: nowrap; }
code, pre { font: 13px/1.45 ui-monospace, monospace; } pre { margin: .25rem 0 .5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
td code, .time { white-space: nowrap; }
.ok { color: var(--ok); } .warn { color: var(--warn); } .bad { color: var(--bad); }
.bar { display: flex; width: 10rem; height: .6rem; margin-top: .35rem; border-radius: 3px; overflow: hidden; background: var(--line); }
.bar i { height: 100%; } .bar .read { background: var(--read); } .bar .write { background: var(--write); } .bar .input { background: var(--input); }
.legend span::before { content: ""; display: inline-block; width: .7rem; height: .7rem; margin: 0 .35rem 0 .75rem; border-radius: 2px; }
.legend .read::before { background: var(--read); } .legend .write::before { background: var(--write); }
.legend .input::before { background: var(--input); }
#agents { margin-top: 1rem; }
details { border-bottom: 1px solid var(--line); padding: .35rem 0; } summary { cursor: pointer; }
`;
