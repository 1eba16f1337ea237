import { createWriteStream, mkdirSync, type WriteStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Answer, CARDS, Client, type MoneyRequest } from "./client";
import { type HostOptions, type ProofHost, startHost } from "./host";
import { PROCESSOR } from "./processors";

/** Log of acts for troubleshooting, and of events that must never happen. */
export class StormLog {
  readonly strange: string[] = [];
  readonly #begun = performance.now();
  readonly #requests: WriteStream;
  readonly #acts: WriteStream;

  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#requests = createWriteStream(join(folder, "requests.log"));
    this.#acts = createWriteStream(join(folder, "acts.log"));
  }

  #stamp(): string {
    return `${((performance.now() - this.#begun) / 1_000).toFixed(3)} ${new Date().toISOString()}`;
  }

  request(line: string): void {
    this.#requests.write(`${this.#stamp()} ${line}\n`);
  }

  act(line: string): void {
    this.#acts.write(`${this.#stamp()} ${line}\n`);
  }

  /** Records something that fails the proof. */
  note(what: string): void {
    if (this.strange.length < 200) this.strange.push(what);
    this.act(`STRANGE ${what}`);
  }

  keep(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text, { flag: "a" });
  }
}

/** A service process that is restarted whenever it ends, as under systemd. */
export class StormService {
  host: ProofHost | null = null;
  starts = 0;
  /** Reasons for failed starts, with counts. */
  readonly failedStarts = new Map<string, number>();
  #mayEnd = false;
  #isOver = false;
  #running: Promise<void> | null = null;

  constructor(
    readonly name: string,
    readonly options: HostOptions & { port: number },
    readonly log: StormLog,
  ) {}

  get baseUrl(): string {
    return `http://127.0.0.1:${this.options.port}`;
  }

  async start(): Promise<void> {
    this.#running = this.#keepUp();
    while (this.host === null) await wait(20);
  }

  async #keepUp(): Promise<void> {
    while (!this.#isOver) {
      this.#mayEnd = false;
      try {
        this.starts++;
        this.host = await startHost({ ...this.options, until: "live" });
      } catch (error) {
        const sentence = sentenceOf((error as Error).message);
        this.failedStarts.set(sentence, (this.failedStarts.get(sentence) ?? 0) + 1);
        this.log.act(`${this.name} did not start: ${sentence}`);
        this.log.keep(`${this.name}.log`, `${(error as Error).message}\n`);
        await wait(500);
        continue;
      }
      const { host } = this;
      this.log.act(`${this.name} is live (pid ${host.pid})`);
      const how = await host.ended;
      this.host = null;
      this.log.keep(`${this.name}.log`, `${host.output()}\n`);
      this.log.act(`${this.name} ended with ${String(how)}`);
      if (!this.#mayEnd)
        this.log.note(`${this.name} ended by itself, with ${String(how)}: ${host.output().slice(-2_000)}`);
    }
  }

  /** Kills it; it is restarted afterwards. Returns the exit status, or null if it wasn't running. */
  async kill(signal: "SIGKILL" | "SIGTERM"): Promise<unknown> {
    const { host } = this;
    if (host === null) return null;
    this.#mayEnd = true;
    return host.kill(signal);
  }

  async pause(ms: number): Promise<void> {
    const pid = this.host?.pid;
    if (pid === undefined) return;
    process.kill(pid, "SIGSTOP");
    await wait(ms);
    if (this.host?.pid === pid) process.kill(pid, "SIGCONT");
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.kill("SIGTERM");
    await this.#running;
  }
}

const sentenceOf = (text: string) =>
  /ConfigurationError[^:]*: ([^\n]*)/.exec(text)?.[1] ?? text.split("\n").find((line) => line.trim() !== "") ?? "?";

/** Cards that must be approved in the end: a decline is a lost sale. */
const GOOD = new Set<string>([CARDS.good, CARDS.refusedOnce, CARDS.slow, CARDS.challenge, CARDS.refundFailsLater]);
/** Statuses that a request may receive in a storm. */
const KNOWN = new Set([200, 201, 202, 402, 409, 422, 503]);
/**
 * A card reaches a real processor's API before any charge; if the API is unreachable, the request is retried.
 */
if (PROCESSOR === "stripe" || PROCESSOR === "adyen") KNOWN.add(502);

const cardOf = ({ body }: MoneyRequest) => (body as { card?: { number?: string } }).card?.number ?? null;

/** Counts everything, and sends many requests twice concurrently, like an impatient client. */
export class StormClient extends Client {
  readonly answers = new Map<string, number>();
  readonly finals = new Map<string, number>();
  readonly waitsMs: number[] = [];
  goodCards = 0;
  readonly lostSales: string[] = [];
  sentTwice = 0;
  protected override pauseMs = 200;

  constructor(
    apiKey: string,
    baseUrl: () => string,
    readonly log: StormLog,
    readonly random: () => number,
  ) {
    super(apiKey, baseUrl);
  }

  override async send(path: string, init: RequestInit): Promise<Answer> {
    const key = new Headers(init.headers).get("x-idempotency-key") ?? "-";
    try {
      const answer = await super.send(path, init);
      this.#count(`${answer.status} ${answer.code ?? ""}`.trim());
      this.log.request(`${key} ${path} ${answer.status} ${answer.code ?? ""}`);
      const isExpired = answer.status === 400 && answer.text.includes("payment token was used before, is older than");
      if (!KNOWN.has(answer.status) && !isExpired)
        this.log.note(`${init.method ?? "GET"} ${path} ${key} answered ${answer.status} ${answer.text.slice(0, 600)}`);
      return answer;
    } catch (error) {
      const { name, cause } = error as Error & { cause?: { code?: string } };
      this.#count(`none: ${name} ${cause?.code ?? ""}`.trim());
      this.log.request(`${key} ${path} ${name} ${cause?.code ?? ""}`);
      if (name === "SyntaxError") this.log.note(`${path} ${key} answered what is no JSON: ${String(error)}`);
      throw error;
    }
  }

  #count(what: string): void {
    this.answers.set(what, (this.answers.get(what) ?? 0) + 1);
  }

  override async until(request: MoneyRequest, giveUpMs?: number): Promise<Answer> {
    const begun = performance.now();
    const isTwice = this.random() < 0.3;
    const answers = await Promise.all(Array.from({ length: isTwice ? 2 : 1 }, () => super.until(request, giveUpMs)));
    const [answer, other = answer] = answers as [Answer, Answer?];
    if (isTwice) this.sentTwice++;
    if (other.status !== answer.status || (other.text !== answer.text && answer.status !== 400))
      this.log.note(`two answers to ${request.key}: ${answer.status} ${answer.text} and ${other.status} ${other.text}`);
    this.waitsMs.push(performance.now() - begun);
    const kind = request.path.replace(/\/(pay|txn)_[^/]+/, "/{id}");
    const what = `${kind} ${answer.status} ${answer.code ?? ""}`.trim();
    this.finals.set(what, (this.finals.get(what) ?? 0) + 1);
    this.#judge(request, answer);
    return answer;
  }

  #judge(request: MoneyRequest, answer: Answer): void {
    const isGood = GOOD.has(cardOf(request) ?? "") || "payment_token" in request.body;
    if (request.path === "/v1/payments" && isGood) {
      this.goodCards++;
      if (answer.status === 402) this.lostSales.push(`${request.key} ${answer.code}`);
    }
  }

  override async get<T>(path: string): Promise<T> {
    const answer = await this.send(path, { headers: { "X-Api-Key": this.apiKey } });
    if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}: ${answer.text}`);
    return JSON.parse(answer.text) as T;
  }
}
