import { refuseField } from "./refuse-field";

export const emailTaken = (email: string) =>
  refuseField("email", `The e-mail address '${email}' is already in use: choose another.`);
