/** The sources do not build; the message is what the compiler said. */
export class BuildError extends Error {
  override readonly name = "BuildError";
}
