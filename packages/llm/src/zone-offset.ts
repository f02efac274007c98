/** Minutes east of UTC that `timeZone` (IANA) keeps at `instant`; an unknown zone counts as UTC. */
export function offsetMinutes(instant: number, timeZone: string | null): number {
  if (timeZone === null) return 0;
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      timeZoneName: 'longOffset',
      hourCycle: 'h23',
    });
    const name = format.formatToParts(instant).find((part) => part.type === 'timeZoneName')?.value ?? '';
    const match = /([+-])(\d{2}):(\d{2})/u.exec(name);
    if (match === null) return 0;
    return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
  } catch {
    return 0;
  }
}
