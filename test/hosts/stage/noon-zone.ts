/** A time zone in which it is about noon: agents write the date into their prompt, and a test must not see it change. */
export function noonZone(): string {
  const hours = 12 - new Date().getUTCHours();
  // The sign of these names is that of the way back to UTC.
  return `Etc/GMT${hours > 0 ? "-" : "+"}${Math.abs(hours)}`;
}
