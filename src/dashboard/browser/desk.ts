/** What a page can do beyond reading and deciding, which work without it: keys, nearer times, live progress. */
import { offerCopies } from "./copy";
import { narrowByWords } from "./find";
import { followKeys } from "./keys";
import { keepFresh } from "./refresh";
import { countSelection } from "./selection";
import { wordTimes } from "./times";
import { showTips } from "./tips";
import { offerTries } from "./try";

document.documentElement.classList.add("scripted");

/** Beside a wide page the menu stands open. */
const wide = matchMedia("(min-width: 62rem)");
const menu = document.querySelector<HTMLDetailsElement>("details.menu");
const fitMenu = () => {
  if (menu !== null) menu.open = wide.matches;
};
wide.addEventListener("change", fitMenu);
fitMenu();

/** What is shown anew has to be worded and counted anew. */
const enhance = (root: ParentNode): void => {
  wordTimes(root);
  countSelection(root);
};
enhance(document);
followKeys();
showTips();
offerCopies();
narrowByWords();
offerTries();
keepFresh(enhance);
