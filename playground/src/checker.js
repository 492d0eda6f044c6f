// The checker in its worker: requests one after another, progress, cancelling.
const LONG = 2000; // Milliseconds: it takes less to start again than to wait longer for what nobody wants.

/** A worker that answers requests; `listener` hears of `{loading}`, `{ready}`, `{busy}` and `{idle}`. */
export class Checker {
  constructor(address, listener) {
    this.address = address;
    this.listener = listener;
    this.waiting = [];
    this.running = null;
    this.start();
  }

  start() {
    this.ready = false;
    this.worker = new Worker(this.address, { type: "module", name: "axmem" });
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = (event) => this.failed(event.message || "the checker could not be loaded");
  }

  heard(data) {
    if (data.loading !== undefined) this.listener({ loading: data.loading, share: data.share });
    if (data.ready) {
      this.ready = true;
      this.listener({ ready: data.ready });
      return this.next();
    }
    if (data.failed) return this.failed(data.failed);
    if (this.running && data.id === this.running.id) {
      const { resolve } = this.running;
      this.finish();
      resolve(data.answer);
    }
  }

  failed(message) {
    const lost = [...(this.running ? [this.running] : []), ...this.waiting];
    this.running = null;
    this.waiting = [];
    this.listener({ failed: message });
    for (const each of lost) each.resolve({ fault: message });
  }

  /** Ask; a waiting request of the same channel is given up, its answer is null. */
  ask(request, { channel = request.ask } = {}) {
    this.waiting = this.waiting.filter((each) => each.channel !== channel || (each.resolve(null), false));
    return new Promise((resolve) => {
      this.waiting.push({ id: ++Checker.count, request, channel, resolve });
      this.next();
      this.hurry();
    });
  }

  /** End the running request once it has taken long, if a later one of its channel waits. */
  hurry() {
    const old = this.running;
    if (!this.waiting.some((each) => each.channel === old?.channel)) return;
    const end = () => { if (this.running === old) this.cancel("another question was asked"); };
    setTimeout(end, Math.max(0, LONG - (performance.now() - this.since)));
  }

  next() {
    if (!this.ready || this.running || !this.waiting.length) return;
    this.running = this.waiting.shift();
    this.since = performance.now();
    const { id, request } = this.running;
    // Python keeps the time where it can. The worker is ended where it does not: inside Z3, or in a long loop.
    const grace = 1000 * (1.2 * (request.seconds ?? 20) + 5);
    this.timer = setTimeout(() => this.cancel("the time limit was reached"), grace);
    this.worker.postMessage({ id, request });
    this.listener({ busy: request.ask, since: this.since });
  }

  finish() {
    clearTimeout(this.timer);
    this.running = null;
    this.listener({ idle: true, milliseconds: performance.now() - this.since });
    this.next();
  }

  /** End the running request with the worker, and start another one. */
  cancel(why = "cancelled") {
    const lost = this.running;
    clearTimeout(this.timer);
    this.worker.terminate();
    this.running = null;
    this.listener({ idle: true, cancelled: true });
    this.start();
    if (lost) lost.resolve({ unknown: why });
  }
}
Checker.count = 0;
