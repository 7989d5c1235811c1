/** A store's URL as it may be shown: without its password, wherever it stands. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/[^:@/]*):[^/]*@/i, "$1:***@").replace(/([?&]password=)[^&]*/i, "$1***");
}
