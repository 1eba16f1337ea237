import type { CheckoutAttempt, CheckoutPage, CheckoutState } from "@/lib/contract/checkout/checkout";
import type { CheckoutErrorCode } from "@/lib/contract/checkout/messages";
import { type CheckoutServer, SessionGone } from "./checkout-server";
import { type CheckoutPhase, type CheckoutView, type ClosedReason, type NoticeKey, offerIn } from "./checkout-view";
import { fieldsView, firstFields, shownFields } from "./form-fields";
import type { ParentReports } from "./parent-link";
import { type AttemptEnd, refusalMeaning, runAttempt } from "./run-attempt";
import { type Source, type Surroundings, sessionMove, watchSession } from "./watch-session";

type DriverPorts = {
  holder: ViewHolder;
  reports: ParentReports;
  server: CheckoutServer;
  surroundings: Surroundings;
  /** Sends nothing and freezes the countdown. */
  preview: boolean;
};

const FORM_PACE = { everyMs: 2_000, evenHidden: false };
const WAITING_PACE = { everyMs: 1_000, evenHidden: true };
const SETTLE_WAIT_MS = 2_000;
/** Maximum delay of a browser timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const NO_FIELDS = { email: "", number: "", expiry: "", cvv: "", name: "", postal_code: "", consent: "" };

/**
 * Keeps the form in sync with its session: nothing shows as paid or failed before the server has confirmed
 * it.
 */
export class CheckoutDriver {
  readonly #ports: DriverPorts;
  readonly #watch: ReturnType<typeof watchSession>;
  /** Notice to show once the server is reachable. */
  #notice: NoticeKey | null = null;
  #reachable = true;
  /** The current attempt. */
  #run: symbol | null = null;
  #alive = false;
  #expiryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(ports: DriverPorts) {
    this.#ports = ports;
    this.#watch = watchSession({
      surroundings: ports.surroundings,
      read: () => ports.server.state(),
      pace: () => this.#pace(),
      onState: (state) => this.#follow(state, "look"),
      onGone: () => this.#close("not_found"),
      onReachable: (reachable) => this.#reach(reachable),
    });
    this.#follow(this.#view.state, "load");
  }

  start(): () => void {
    this.#alive = true;
    const unwatch = this.#watch.start();
    this.expireIfDue();
    return () => {
      this.#alive = false;
      this.#run = null;
      clearTimeout(this.#expiryTimer);
      unwatch();
    };
  }

  /** Sends one attempt until its outcome is known. Only valid in phase `form`. */
  async attempt(body: CheckoutAttempt): Promise<void> {
    const run = Symbol("attempt");
    this.#run = run;
    this.#reachable = true;
    this.#enter("submitting", null);
    const end = await runAttempt({
      send: () => this.#ports.server.attempt(body),
      look: () => this.#look(run),
      wait: (ms) => this.#wait(ms),
      onLost: () => this.#lose(),
      over: () => this.#run !== run,
    });
    await this.#settle(end, run);
  }

  /** Closes the form if the session has expired and no attempt is in progress; otherwise sets the timer. */
  expireIfDue(): boolean {
    clearTimeout(this.#expiryTimer);
    if (!this.#alive || this.#ports.preview || this.#view.phase !== "form") return false;
    const { state } = this.#view;
    const leftMs = Date.parse(state.expires_at) - this.#ports.holder.now();
    // The last attempt also expires the session, and is the reason to show.
    if (leftMs <= 0) this.#close(state.attempts_left > 0 ? "expired" : "attempts_exhausted");
    else this.#expiryTimer = setTimeout(() => this.expireIfDue(), Math.min(leftMs, MAX_TIMER_MS));
    return leftMs <= 0;
  }

  get #view(): CheckoutView {
    return this.#ports.holder.view;
  }

  async #settle(end: AttemptEnd, run: symbol): Promise<void> {
    switch (end.kind) {
      case "answered":
        this.#follow(end.answer.state, "answer", end.answer.payment_token?.id);
        break;
      case "changed":
        await this.#settleByState(run);
        break;
      case "refused": {
        const { notice, code, errors } = refusalMeaning(end.code, end.fields, this.#view.shown);
        this.#backToForm(notice, code, { errors });
        break;
      }
      case "limited":
        this.#backToForm("rate_limited", "rate_limited");
        break;
      case "over":
        break;
      default:
        end satisfies never;
    }
  }

  /** The server reports a changed session: fetch its state until that succeeds. */
  async #settleByState(run: symbol): Promise<void> {
    while (this.#run === run && !(await this.#look(run, "answer"))) {
      this.#lose();
      await this.#wait(SETTLE_WAIT_MS);
    }
  }

  /** Fetches the state during an attempt. False without a response; the next try follows anyway. */
  async #look(run: symbol, source: Source = "look"): Promise<boolean> {
    const found = await this.#ports.server.state().catch((error: unknown) => ({ error }));
    const gone = "error" in found && found.error instanceof SessionGone;
    if (this.#run !== run) return true;
    if (!("error" in found)) this.#follow(found, source);
    else if (gone) this.#close("not_found");
    return gone || !("error" in found);
  }

  #follow(state: CheckoutState, source: Source, paymentToken?: string): void {
    const { phase } = this.#view;
    const isRefused = state.trial_refused && !this.#view.state.trial_refused;
    if (JSON.stringify(state) !== JSON.stringify(this.#view.state)) this.#ports.holder.set({ state });
    if (isRefused) this.#ports.holder.set({ ...offerIn(this.#view.page, state), ...this.#withoutConsent() });
    if (isRefused && state.status === "OPEN" && phase !== "form") {
      this.#backToForm("trial_used", "trial_used");
      return;
    }
    const move = paymentToken ? { to: "done" as const } : sessionMove(state, phase, source);
    switch (move.to) {
      case "stay":
        this.expireIfDue();
        break;
      case "done":
        this.#finish(paymentToken ?? null);
        break;
      case "processing":
      case "challenge":
        this.#run = null;
        if (phase !== move.to) this.#enter(move.to, null, this.#withoutCvv());
        if (move.to === "challenge") this.#ports.reports.challenge(move.url);
        break;
      case "closed":
        this.#close(move.reason);
        break;
      case "form":
        if (move.code) this.#backToForm(move.notice, move.code, this.#withoutCvv());
        else this.#enter("form", move.notice);
        if (move.exhausted) this.#close("attempts_exhausted");
        break;
      default:
        move satisfies never;
    }
  }

  #lose(): void {
    if (this.#view.phase !== "submitting") return;
    this.#enter("checking", "connection_lost");
    this.#ports.reports.failed(this.#view, "connection_lost", "connection_lost");
  }

  #backToForm(notice: NoticeKey | null, code: CheckoutErrorCode, changes: Partial<CheckoutView> = {}): void {
    this.#run = null;
    this.#enter("form", notice, changes);
    this.#ports.reports.failed(this.#view, code, notice ?? "not_sent");
    this.expireIfDue();
  }

  #finish(paymentToken: string | null): void {
    const { page, state } = this.#view;
    const result = {
      client_session_id: state.client_session_id,
      payment_id: page.mode === "tokenize" ? null : (state.payment?.id ?? null),
      ...(state.payment_method_id !== null && { payment_method_id: state.payment_method_id }),
      ...(state.subscription_id !== null && { subscription_id: state.subscription_id }),
      status: state.payment?.status ?? state.status,
      payment_token: paymentToken,
      return_url: state.return_url,
    };
    this.#run = null;
    this.#enter("done", null, { ...this.#wiped(), result });
    this.#ports.reports.done(result);
  }

  #close(closed: ClosedReason): void {
    if (this.#view.phase === "closed" || this.#view.phase === "done") return;
    this.#run = null;
    this.#enter("closed", null, { ...this.#wiped(), closed });
    this.#ports.reports.closed(this.#view, closed);
  }

  #enter(phase: CheckoutPhase, notice: NoticeKey | null, changes: Partial<CheckoutView> = {}): void {
    this.#notice = notice;
    this.#ports.holder.set({ ...changes, phase, notice: this.#noticeIn(phase) });
    this.#watch.replan();
  }

  #reach(reachable: boolean): void {
    if (reachable === this.#reachable) return;
    this.#reachable = reachable;
    this.#ports.holder.set({ notice: this.#noticeIn(this.#view.phase) });
  }

  #noticeIn(phase: CheckoutPhase): NoticeKey | null {
    if (this.#reachable || phase === "done" || phase === "closed") return this.#notice;
    return phase === "form" ? "offline" : "connection_lost";
  }

  #pace() {
    const { phase } = this.#view;
    if (this.#ports.preview) return null;
    if (phase === "form") return FORM_PACE;
    return phase === "processing" || phase === "challenge" ? WAITING_PACE : null;
  }

  /** A code is for one attempt; the other fields stay, so that the shopper can correct them. */
  #withoutCvv(): Partial<CheckoutView> {
    return fieldsView(this.#view, { ...this.#view.fields, cvv: "" }, {}, this.#ports.holder.now());
  }

  /** The shopper agreed to other terms. */
  #withoutConsent(): Partial<CheckoutView> {
    return fieldsView(this.#view, { ...this.#view.fields, consent: "" }, {}, this.#ports.holder.now());
  }

  #wiped(): Partial<CheckoutView> {
    return fieldsView(this.#view, NO_FIELDS, {}, this.#ports.holder.now());
  }

  /** Ends early when the browser comes back online. */
  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        unlisten();
        resolve();
      };
      const timer = setTimeout(end, ms);
      const unlisten = this.#ports.surroundings.onOnline(end);
    });
  }
}

/** Holds the current view and notifies its subscribers. */
export class ViewHolder {
  readonly #listeners = new Set<(view: CheckoutView) => void>();
  /** Offset of the server's clock in milliseconds. */
  readonly #aheadMs: number;
  #view: CheckoutView;

  constructor(page: CheckoutPage) {
    this.#aheadMs = Date.parse(page.now) - Date.now();
    const shown = shownFields(page);
    this.#view = {
      ...fieldsView({ page, shown }, firstFields(page), {}, this.now()),
      page,
      shown,
      state: page.state,
      ...offerIn(page, page.state),
      phase: "form",
      notice: null,
      result: null,
      closed: null,
      locale: page.locale,
      appearance: page.appearance,
      button: true,
    };
  }

  get view(): CheckoutView {
    return this.#view;
  }

  /** The server's time, milliseconds since 1970. */
  now(): number {
    return Date.now() + this.#aheadMs;
  }

  set(changes: Partial<CheckoutView>): void {
    this.#view = { ...this.#view, ...changes };
    for (const listener of [...this.#listeners]) listener(this.#view);
  }

  subscribe(listener: (view: CheckoutView) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
