// The clock of the page: the cycle that is shown, and playing.

export const SPEEDS = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export class Player {
  /** The cycle shown, and the part of it that has passed. */
  time: number;
  playing = false;
  speed = 5;
  onchange: () => void = () => {};
  private before = 0;

  constructor(public readonly from: number, public readonly until: number) {
    this.time = from;
  }
  get t(): number {
    return Math.min(this.until - 1, Math.floor(this.time));
  }
  /** Still pictures show flits half way. */
  get phase(): number {
    return this.playing ? this.time - Math.floor(this.time) : 0.5;
  }
  /** Slow enough that flits are seen on their way. */
  get moving(): boolean {
    return !this.playing || this.speed <= 10;
  }
  seek(t: number): void {
    this.time = Math.max(this.from, Math.min(this.until - 1, Math.floor(t)));
    this.onchange();
  }
  step(by: number): void {
    this.pause();
    this.seek(this.t + by);
  }
  play(): void {
    if (this.t >= this.until - 1) this.time = this.from;
    this.playing = true;
    this.before = 0;
    this.onchange();
  }
  pause(): void {
    this.playing = false;
    this.onchange();
  }
  toggle(): void {
    if (this.playing) this.pause(); else this.play();
  }
  /** Moves on to the moment of a frame. */
  tick(now: number): void {
    if (!this.playing) return;
    if (this.before) this.time += Math.min(now - this.before, 200) / 1000 * this.speed;
    this.before = now;
    if (this.time >= this.until - 1) {
      this.time = this.until - 1;
      this.pause();
    }
  }
}
