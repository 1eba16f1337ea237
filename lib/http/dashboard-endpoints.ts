import * as accounts from "@/lib/contract/accounts/endpoints";
import * as apiKeys from "@/lib/contract/api-keys/api-keys";
import * as approvals from "@/lib/contract/approvals/approvals";
import * as checkout from "@/lib/contract/checkout/endpoints";
import * as paymentLinks from "@/lib/contract/checkout/payment-link";
import { AppError } from "@/lib/contract/errors";
import * as idempotency from "@/lib/contract/idempotency/idempotency-key";
import { encodeId } from "@/lib/contract/ids";
import * as savedViews from "@/lib/contract/lists/saved-views";
import * as notes from "@/lib/contract/notes/notes";
import * as payments from "@/lib/contract/payments/endpoints";
import type { UserPermission } from "@/lib/contract/permissions";
import * as processors from "@/lib/contract/processors/connection";
import * as receipts from "@/lib/contract/receipts/receipts";
import * as reportMails from "@/lib/contract/reports/report-mail";
import * as settlement from "@/lib/contract/settlement/endpoints";
import * as subscriptions from "@/lib/contract/subscriptions/preview";
import * as subscriptionSettings from "@/lib/contract/subscriptions/settings-endpoint";
import * as support from "@/lib/contract/support/endpoints";
import * as team from "@/lib/contract/team/team";
import { getClockPresets as clockPresets } from "@/lib/contract/test-clock/presets";
import { parseQuery, searchBody } from "@/lib/contract/transactions/query";
import * as sums from "@/lib/contract/transactions/sums";
import { searchTransactionsBody } from "@/lib/contract/transactions/transaction";
import { updateAccount, updatePreferences } from "@/lib/domain/accounts/account";
import { updateBusiness } from "@/lib/domain/accounts/business";
import { removeLogo, replaceLogo } from "@/lib/domain/accounts/logo";
import { changePassword, choosePassword, requestPasswordReset } from "@/lib/domain/accounts/password";
import { reauthenticate, requireReauthentication } from "@/lib/domain/accounts/reauthentication";
import * as secondFactor from "@/lib/domain/accounts/second-factor";
import { endOtherSessions, endOwnSession } from "@/lib/domain/accounts/sessions";
import { resendVerification, signUp, verifyEmail } from "@/lib/domain/accounts/sign-up";
import { setKeyState } from "@/lib/domain/api-keys/change-keys";
import { editApiKey, issueApiKey, reissueApiKey } from "@/lib/domain/api-keys/issue-keys";
import { getApiKey, requireKeyManager } from "@/lib/domain/api-keys/read-keys";
import { collectKey, requestAct } from "@/lib/domain/approvals/acts";
import { approveRequest } from "@/lib/domain/approvals/approve";
import { listPaymentRequests, rejectRequest, withdrawRequest } from "@/lib/domain/approvals/requests";
import { NO_RULE, requireAlone, updateRule } from "@/lib/domain/approvals/rules";
import { updateCheckoutAppearance } from "@/lib/domain/checkout/appearance";
import { createPaymentLink, updatePaymentLink } from "@/lib/domain/checkout/payment-links";
import { environmentNow } from "@/lib/domain/context";
import { getIdempotencyKey } from "@/lib/domain/idempotency/inspect-keys";
import * as teamNotes from "@/lib/domain/notes/notes";
import { getPaymentDetail } from "@/lib/domain/payments/payment-detail";
import * as connections from "@/lib/domain/processors/connections";
import { requestComparison } from "@/lib/domain/processors/reconciliation";
import { updateDocuments } from "@/lib/domain/receipts/document-settings";
import { sendReceipt, updateReceipts } from "@/lib/domain/receipts/mail-receipts";
import { stopReportMail, updateReportMail } from "@/lib/domain/reports/report-mails";
import { retryPayout, updateBankAccount } from "@/lib/domain/settlement/payouts";
import { previewSubscription } from "@/lib/domain/subscriptions/create";
import { updateSubscriptionSettings } from "@/lib/domain/subscriptions/settings";
import { getMerchantKey } from "@/lib/domain/support/merchants";
import { reinstateMerchant, suspendMerchant, unlockMember } from "@/lib/domain/support/suspend-merchants";
import { checkStatus } from "@/lib/domain/support/unknown-outcomes";
import { changeRole, inviteMember, removeMember, resendInvitation } from "@/lib/domain/team/team";
import { getClockPresets } from "@/lib/domain/test-clock/test-clock";
import { sumChosenTransactions, sumTransactions } from "@/lib/domain/transactions/read-transactions";
import * as views from "@/lib/domain/transactions/saved-views";
import { mailRoute } from "@/lib/mail/mail";
import { attemptContext } from "./caller";
import { attempt, getState } from "./checkout";
import { forEverybody, forStaff, forUsers, serveAll } from "./dashboard";
import { everyMethod } from "./pipeline";
import { signedIn } from "./session-caller";

/** The user's own account: no role is needed, and no other account can be reached. */
const ACCOUNT = [
  forUsers(accounts.updatePreferences, ({ ctx }, changes) => updatePreferences(ctx, changes)),
  forUsers(accounts.updateAccount, async ({ ctx }, { name, email, current_password }) => {
    const changes = { name, email, currentPassword: current_password ?? null };
    const { pendingEmail, ...saved } = await updateAccount(ctx, changes);
    return { ...saved, pending_email: pendingEmail };
  }),
  forUsers(accounts.resendVerification, ({ ctx, address }) => resendVerification(ctx, address)),
  forUsers(accounts.reauthenticate, ({ ctx, user }, { code, current_password }) =>
    reauthenticate(ctx, { user, code, password: current_password }),
  ),
  forUsers(accounts.changePassword, async ({ ctx, user }, input) => ({
    ended_sessions: await changePassword(ctx, {
      currentPassword: input.current_password,
      newPassword: input.new_password,
      sessionId: user.sessionId,
    }),
  })),
  forUsers(accounts.beginSecondFactor, async ({ ctx }, { current_password }) => {
    const { secret, uri, qrSvg } = await secondFactor.beginSecondFactor(ctx, { currentPassword: current_password });
    return { secret, uri, qr_svg: qrSvg };
  }),
  forUsers(accounts.confirmSecondFactor, async ({ ctx, user }, { code }) => ({
    recovery_codes: await secondFactor.confirmSecondFactor(ctx, { code, sessionId: user.sessionId }),
  })),
  forUsers(accounts.replaceRecoveryCodes, async ({ ctx }, confirmation) => ({
    recovery_codes: await secondFactor.replaceRecoveryCodes(ctx, confirmation),
  })),
  forUsers(accounts.disableSecondFactor, async ({ ctx }, confirmation) => {
    await secondFactor.disableSecondFactor(ctx, confirmation);
    return {};
  }),
  forUsers(accounts.endSession, async ({ ctx, params }) => {
    await endOwnSession(ctx, params);
    return {};
  }),
  forUsers(accounts.endOtherSessions, async ({ ctx, user }) => ({
    ended_sessions: await endOtherSessions(ctx, { sessionId: user.sessionId }),
  })),
];

/**
 * The transactions page's search. An invalid filter is refused: ignoring it would find more than requested.
 */
function searchOfPage(text: string, timeZone: string, now: Date) {
  const { query, problems } = parseQuery(new URLSearchParams(text));
  const parsed = searchTransactionsBody.safeParse(searchBody(query, timeZone, now.getTime()));
  const message = problems[0]?.message ?? parsed.error?.issues[0]?.message;
  if (!parsed.success || message !== undefined)
    throw new AppError("invalid_parameter", message ?? "A filter cannot be read.", { param: "search" });
  return parsed.data;
}

/** Endpoints that roles allow: the business, its team, and objects of one mode. */
const BUSINESS = [
  ...[accounts.updateBusiness, accounts.updateRefundLimit].map((endpoint) =>
    forUsers(endpoint, async ({ ctx }, input) => {
      await updateBusiness(ctx, input);
      return {};
    }),
  ),
  forUsers(accounts.replaceLogo, ({ ctx }, { image }) => replaceLogo(ctx, { image })),
  forUsers(accounts.removeLogo, async ({ ctx }) => {
    await removeLogo(ctx);
    return {};
  }),
  forUsers(receipts.updateDocuments, ({ ctx }, input) => updateDocuments(ctx, input)),
  forUsers(receipts.updateReceipts, ({ ctx }, input) => updateReceipts(ctx, input)),
  forUsers(receipts.sendReceipt, async ({ ctx, params: { id } }, { email }) => {
    const mail = await mailRoute(ctx.service);
    return { ...(await sendReceipt(ctx, { id, email }, { leaves: mail === "sent" })), mail };
  }),
  forUsers(team.inviteMember, async ({ ctx }, { email, name, role }) => ({
    id: encodeId("user", await inviteMember(ctx, { email, name: name ?? null, role })),
  })),
  forUsers(team.resendInvitation, async ({ ctx, params }) => {
    await resendInvitation(ctx, params);
    return {};
  }),
  forUsers(team.changeRole, async ({ ctx, params }, { role }) => {
    await changeRole(ctx, { ...params, role });
    return {};
  }),
  forUsers(team.removeMember, async ({ ctx, params }) => {
    await removeMember(ctx, params);
    return {};
  }),
  forUsers(apiKeys.createApiKey, async ({ ctx, user }, body) => {
    await requireAlone(ctx, "LIVE_KEY");
    await requireKeyManager(ctx, user, body.permissions);
    return issueApiKey(attemptContext(ctx, body), body);
  }),
  forUsers(apiKeys.updateApiKey, async ({ ctx, user, params: { id } }, body) => {
    await requireKeyManager(ctx, user, [...body.permissions, ...(await getApiKey(ctx, { id })).permissions]);
    return editApiKey(ctx, { id, ...body });
  }),
  forUsers(apiKeys.rotateApiKey, async ({ ctx, user, params: { id } }, body) => {
    await requireAlone(ctx, "LIVE_KEY");
    await requireKeyManager(ctx, user, (await getApiKey(ctx, { id })).permissions);
    return reissueApiKey(attemptContext(ctx, body), { id, overlap_hours: body.overlap_hours });
  }),
  forUsers(apiKeys.disableApiKey, ({ ctx, params: { id } }) => setKeyState(ctx, { id, action: "disable" })),
  forUsers(apiKeys.enableApiKey, async ({ ctx, user, params: { id } }) => {
    await requireAlone(ctx, "LIVE_KEY");
    await requireKeyManager(ctx, user, (await getApiKey(ctx, { id })).permissions);
    return setKeyState(ctx, { id, action: "enable" });
  }),
  forUsers(apiKeys.revokeApiKey, ({ ctx, params: { id } }) => setKeyState(ctx, { id, action: "revoke" })),
  forUsers(processors.connectProcessor, ({ ctx }, body) => connections.connectProcessor(ctx, body)),
  forUsers(processors.replaceRules, async ({ ctx }, { rules }) => ({
    rules: await connections.replaceRules(ctx, rules),
  })),
  forUsers(processors.changeConnection, ({ ctx, params: { id } }, body) =>
    connections.changeConnection(ctx, { id, ...body }),
  ),
  forUsers(processors.checkConnection, ({ ctx, params: { id } }) => connections.checkConnection(ctx, { id })),
  forUsers(processors.compareProcessor, ({ ctx, params: { id } }, { days }) => requestComparison(ctx, { id, days })),
  forUsers(processors.disconnectProcessor, ({ ctx, params: { id } }) => connections.disconnectProcessor(ctx, { id })),
  forUsers(checkout.updateCheckoutAppearance, async ({ ctx }, { appearance }) => ({
    appearance: await updateCheckoutAppearance(ctx, { appearance }),
  })),
  forUsers(subscriptionSettings.updateSubscriptionSettings, ({ ctx }, input) => updateSubscriptionSettings(ctx, input)),
  forUsers(paymentLinks.createPaymentLink, ({ ctx }, body) => createPaymentLink(ctx, body)),
  forUsers(paymentLinks.updatePaymentLink, ({ ctx, user, params: { id } }, body) => {
    const { active, ...changes } = body;
    // Stopping a link, like stopping a key, must not be delayed.
    const onlyStops = active === false && Object.keys(changes).length === 0;
    if (ctx.environment.mode === "live" && !onlyStops) requireReauthentication(user);
    return updatePaymentLink(ctx, { id, ...body });
  }),
  forUsers(settlement.updateBankAccount, ({ ctx }, account) => updateBankAccount(ctx, account)),
  forUsers(settlement.retryPayout, ({ ctx, params: { id } }) => retryPayout(ctx, { id })),
  forUsers(idempotency.getIdempotencyKey, ({ ctx, user }, { key }) =>
    getIdempotencyKey(ctx, { key, can: (permission) => user.permissions.has(permission) }),
  ),
  forUsers(payments.getPaymentDetail, ({ ctx, params: { id } }) => getPaymentDetail(ctx, { id })),
  forUsers(clockPresets, ({ ctx }) => getClockPresets(ctx)),
  forUsers(sums.sumTransactions, ({ ctx, merchant }, { search, ids }) =>
    ids === undefined
      ? sumTransactions(ctx, searchOfPage(search, merchant.timeZone, environmentNow(ctx)))
      : sumChosenTransactions(ctx, ids.split(",")),
  ),
  forUsers(subscriptions.previewNewSubscription, ({ ctx }, body) => previewSubscription(ctx, body)),
  forUsers(reportMails.updateReportMail, async ({ ctx, user: { userId } }, { type, every }) => {
    await updateReportMail(ctx, { userId, type, every });
    return { every };
  }),
  forUsers(notes.listNotes, async ({ ctx, user: { userId } }, { subject_id }) => ({
    object: "list" as const,
    ...(await teamNotes.listNotes(ctx, { subject_id, userId })),
  })),
  forUsers(notes.createNote, ({ ctx, user: { userId } }, body) => teamNotes.createNote(ctx, { ...body, userId })),
  forUsers(notes.updateNote, ({ ctx, user: { userId }, params: { id } }, { text }) =>
    teamNotes.updateNote(ctx, { id, text, userId }),
  ),
  forUsers(notes.deleteNote, ({ ctx, user: { userId }, params: { id } }) => teamNotes.deleteNote(ctx, { id, userId })),
  forUsers(approvals.listPaymentApprovals, async ({ ctx, user }, { subject }) => ({
    object: "list" as const,
    data: await listPaymentRequests(ctx, { subject, user }),
  })),
  forUsers(approvals.createApprovalRequest, ({ ctx, user }, act) => requestAct(ctx, act, user)),
  forUsers(approvals.approveRequest, ({ ctx, user, params: { id } }) => approveRequest(ctx, { id, user })),
  forUsers(approvals.rejectRequest, ({ ctx, user, params: { id } }, body) => rejectRequest(ctx, { id, ...body, user })),
  forUsers(approvals.withdrawRequest, ({ ctx, user, params: { id } }) => withdrawRequest(ctx, { id, user })),
  forUsers(approvals.collectKey, ({ ctx, user, params: { id } }) => collectKey(ctx, { id, user })),
  forUsers(approvals.updateRefundRule, async ({ ctx }, rule) => {
    await updateRule(ctx, { action: "REFUND", ...rule });
    return rule;
  }),
  forUsers(approvals.updateRoleRule, async ({ ctx }, { action, roles }) => {
    const rule = { ...NO_RULE, roles };
    await updateRule(ctx, { action, ...rule });
    return rule;
  }),
  forUsers(savedViews.listSavedViews, async ({ ctx, user: { userId } }, { list }) => ({
    object: "list" as const,
    data: await views.listSavedViews(ctx, { userId, list }),
  })),
  forUsers(savedViews.createSavedView, ({ ctx, user: { userId, permissions } }, body) =>
    views.createSavedView(ctx, { ...body, userId, canShare: permissions.has("saved_view.share") }),
  ),
  forUsers(savedViews.updateSavedView, ({ ctx, user: { userId, permissions }, params: { id } }, body) =>
    views.updateSavedView(ctx, { ...body, userId, canShare: permissions.has("saved_view.share"), id }),
  ),
  forUsers(savedViews.deleteSavedView, ({ ctx, user: { userId }, params: { id } }) =>
    views.deleteSavedView(ctx, { userId, id }),
  ),
];

const SUPPORT = [
  forStaff(support.suspendMerchant, async (call, input) => {
    await suspendMerchant(call, { ...call.params, ...input });
    return { ...call.params, suspended: true };
  }),
  forStaff(support.reinstateMerchant, async (call, input) => {
    await reinstateMerchant(call, { ...call.params, ...input });
    return { ...call.params, suspended: false };
  }),
  forStaff(support.unlockMember, async (call, input) => {
    const { id: merchantId, user: userId } = call.params;
    await unlockMember(call, { merchantId, userId, ...input });
    return { id: userId };
  }),
  forStaff(support.checkStatus, async (call) => {
    const { result, state, lastAnswer } = await checkStatus(call, { operationId: call.params.id });
    return { result, state, last_answer: lastAnswer };
  }),
  forStaff(support.getMerchantKey, (call, { key }) => {
    const can = (permission: UserPermission) => call.staff.permissions.has(permission);
    return getMerchantKey(call, { environmentId: call.params.id, key, can });
  }),
  forStaff(support.reauthenticateStaff, ({ service, staff }, { code }) =>
    reauthenticate({ service, actor: { type: "staff", id: staff.userId } }, { user: staff, code }),
  ),
];

const EVERYBODY = [
  forEverybody(accounts.signUp, async ({ service, request, address }, input) => {
    const { merchantId, userId, ticket } = await signUp(service, {
      businessName: input.business_name,
      name: input.name,
      email: input.email,
      password: input.password,
      timeZone: input.time_zone,
      address,
      requestId: request.id,
    });
    return { merchant_id: encodeId("merchant", merchantId), user_id: encodeId("user", userId), ticket };
  }),
  forEverybody(accounts.verifyEmail, async ({ service, request, address, cookies }, { token, password }) => {
    const found = await signedIn(cookies, "merchant");
    const from = { address, requestId: request.id, signedInAs: found?.user.userId ?? null };
    return verifyEmail(service, { token, password: password ?? null, ...from });
  }),
  forEverybody(accounts.forgotPassword, async ({ service, address }, { email }) => {
    await requestPasswordReset(service, { email, address });
    return { email };
  }),
  forEverybody(accounts.choosePassword, ({ service, request, address }, { token, password, name }) =>
    choosePassword(service, { token, password, name: name ?? null, address, requestId: request.id }),
  ),
  forEverybody(reportMails.stopReportMail, ({ service }, { token }) => stopReportMail(service, token)),
  forEverybody(checkout.getCheckoutState, getState),
  forEverybody(checkout.attemptCheckout, attempt),
];

/** Every endpoint that is not part of the API, with its handler. A test compares this with the contract. */
export const DASHBOARD_ENDPOINTS = [...ACCOUNT, ...BUSINESS, ...SUPPORT, ...EVERYBODY];

/** For Next's route files. */
export const dashboardRoutes = everyMethod(serveAll(DASHBOARD_ENDPOINTS));
