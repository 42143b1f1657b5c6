/** What is revoked, in the words of somebody at the desk. */
import type { RevocationTarget } from "../../revocations/model";
import { plural } from "../parts";
import { visible } from "../visible";

export const REVOCATIONS_PATH = "/desk/revocations";

export const targetText = ({ kind, userId, interactionIds }: RevocationTarget): string =>
  kind === "user"
    ? `all turns of ${visible(userId)}`
    : `${plural(interactionIds.length, "turn")} of ${visible(userId)}`;
