// The checker in its worker: requests one after another, progress, cancelling.
const LONG = 2000; // Milliseconds: it takes less to start again than to wait longer for what nobody wants.

/**
 * A worker that answers requests; `listener` hears of `{loading}`, `{ready}`, `{busy}` and `{idle}`.
 *
 * A request that needs a library waits beside the others until the worker has it, and is asked again then: a download
 * takes no time of a question, holds up no other question, and outlives a question that is given up.
 */
export class Checker {
  constructor(address, listener) {
    this.address = address;
    this.listener = listener;
    this.waiting = [];
    this.parked = [];
    this.running = null;
    this.start();
  }

  start() {
    this.ready = false;
    this.dead = false;
    this.worker = new Worker(this.address, { type: "module", name: "axmem" });
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = (event) => this.failed(event.message || "the checker could not be loaded");
  }

  heard({ id, loading, share, ready, failed, needs, got, missing, answer }) {
    if (loading !== undefined) this.listener({ loading, share });
    if (ready) {
      this.ready = true;
      this.listener({ ready });
      return this.next();
    }
    if (failed) return this.failed(failed);
    if (got) {
      const [served, others] = [true, false].map((now) => this.parked.filter((each) => (each.needs === got) === now));
      if (missing) for (const each of served) each.resolve({ unknown: missing });
      else this.waiting.unshift(...served);
      this.keep((each) => others.includes(each));
      return this.next();
    }
    const known = this.running?.id === id ? this.running : null;
    if (!known) return;
    this.finish();
    if (needs) {
      this.parked.push({ ...known, needs });
      this.keep(() => true);
    } else known.resolve(answer);
    this.next();
  }

  /** Keep some of the requests that wait for a library, and say what is waited for. */
  keep(wanted) {
    this.parked = this.parked.filter(wanted);
    this.listener({ loading: this.parked[0]?.needs ?? "", share: 0.5, waiting: this.parked.length > 0 });
  }

  /** End a worker that has failed. What it was asked is asked once more of another one; what fails again is lost. */
  failed(message) {
    const asked = [...(this.running ? [this.running] : []), ...this.parked, ...this.waiting];
    const began = this.ready;
    const lost = began ? asked.filter((each) => each.again) : asked;
    clearTimeout(this.timer);
    this.running = null;
    this.parked = [];
    this.waiting = asked.filter((each) => !lost.includes(each));
    for (const each of this.waiting) each.again = true;
    this.worker.terminate();
    if (this.waiting.length) this.start();
    else this.dead = true; // The next question starts another one.
    if (began && !lost.length) return this.listener({ idle: true, cancelled: true });
    this.listener({ failed: message });
    for (const each of lost) each.resolve({ fault: message });
  }

  /** Ask; a waiting request of the same channel is given up, its answer is null. */
  ask(request, { channel = request.ask } = {}) {
    const other = (each) => each.channel !== channel || (each.resolve(null), false);
    this.waiting = this.waiting.filter(other);
    if (this.parked.length) this.keep(other);
    if (this.dead) this.start();
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
  }

  /** End the running request with the worker, and start another one; or end what waits for a library. */
  cancel(why = "cancelled") {
    const lost = this.running ? [this.running] : this.parked;
    clearTimeout(this.timer);
    if (this.running) {
      this.worker.terminate();
      this.waiting.unshift(...this.parked); // The next worker has no library.
      this.start();
    }
    this.running = null;
    this.keep(() => false);
    this.listener({ idle: true, cancelled: true });
    for (const each of lost) each.resolve({ unknown: why });
  }
}
Checker.count = 0;
