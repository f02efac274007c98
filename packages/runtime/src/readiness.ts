/** Whether a consumer can do its work: not while any of its partitions waits for a dependency. */
export class Readiness {
  readonly #waiting = new Set<string>();
  readonly #report: (ready: boolean) => void;

  constructor(report: (ready: boolean) => void) {
    this.#report = report;
    report(true);
  }

  get isReady(): boolean {
    return this.#waiting.size === 0;
  }

  waits(place: string): void {
    this.#waiting.add(place);
    this.#report(this.isReady);
  }

  settled(place: string): void {
    if (this.#waiting.delete(place)) this.#report(this.isReady);
  }
}
