"""The sentences on which the token vectors are fitted: WordNet's glosses and examples, and composed agent rules.

Deterministic: the same WordNet files and vocabulary give the same list.
"""

import random
import re
from pathlib import Path

SEED = 20261201
COMPOSED_RULES = 50_000
GLOSSES = 42_000
MAX_WORDS = 18

ACTIONS = """ask about|ask for|confirm|check|verify|mention|explain|describe|summarise|list|show|hide|include|leave out|
skip|add|remove|delete|keep|store|save|log|record|translate|rewrite|shorten|expand|format|quote|cite|link to|attach|send|
forward|escalate|hand over|transfer|assign|schedule|reschedule|cancel|book|reserve|suggest|recommend|propose|offer|promise|
guarantee|refuse|decline|reject|approve|allow|permit|accept|avoid|stop|start|restart|pause|repeat|retry|run|execute|test|
deploy|release|publish|merge|review|comment on|document|refactor|rename|install|update|upgrade|roll back|back up|restore|
encrypt|mask|redact|share|disclose|reveal|collect|request|require|use|prefer|choose|compare|rank|sort|group|filter|search|
look up|find|track|measure|estimate|calculate|round|convert|charge|refund|bill|discount|pay|ship|deliver|return|replace|
repair|apologise for|thank for|greet with|remind about|warn about|notify about|follow up on|reply to|answer|ignore|assume|
guess|invent|speculate about|discuss|talk about|joke about|call|email|message|phone|contact|invite|open|close|resolve|
prioritise|limit|reduce|increase|split|combine|validate|parse|cache|lock|sign|write|draft|read|print|export|import|
upload|download|disable|enable|turn off|turn on|change|reset|set|declare|state|specify|clarify|define|justify""".replace("\n", "")

OBJECTS = """the order|the order number|the invoice|the refund|the budget|the price|the total|the fees|the delivery date|
the address|the email address|the phone number|the password|the account|the subscription|the plan|the contract|the warranty|
the return policy|the discount|the coupon|the payment method|the card number|the bank details|the appointment|the meeting|
the calendar|the time zone|the deadline|the reminder|the agenda|the minutes|the report|the summary|the chart|the table|
the spreadsheet|the data|the source|the citation|the evidence|the assumption|the forecast|the confidence|the error|
the stack trace|the log file|the test suite|the unit tests|the build|the pipeline|the branch|the commit message|
the pull request|the code review|the function|the type annotations|the comments|the dependencies|the library|the framework|
the database|the query|the migration|the schema|the index|the backup|the server|the production environment|the staging site|
the configuration|the environment variables|the secret|the API key|the token|the documentation|the changelog|the example|
the code sample|the diagram|the screenshot|the attachment|the file|the folder|the link|the page|the form|the button|
the headline|the subject line|the paragraph|bullet points|numbered lists|emoji|exclamation marks|jargon|abbreviations|
technical terms|plain language|short sentences|long answers|a friendly tone|a formal tone|humour|sarcasm|small talk|
personal data|medical advice|legal advice|investment tips|politics|religion|competitors|internal tools|a human agent|
a supervisor|the manager|the support team|the finance team|the legal department|the on-call engineer|the customer|the user|
the patient|the student|the guest|the buyer|the tenant|the passenger|the reader|the flight|the hotel|the itinerary|the ticket|
the seat|the visa|the passport|the luggage|the recipe|the ingredients|allergies|the menu|the diet|the symptoms|the dosage|
the prescription|the doctor|the lesson|the homework|the exercise|the hint|the solution|the grade|the product|the size|
the colour|the stock|the review|the rating|the alternatives|the features|the specifications|the manual|the installation|
the device|the operating system|the browser|the version|the platform|the outage|the incident|the security issue|the bug|
the workaround|the root cause|the cost|the tax|the currency|the units|the decimal places|the date format|the language|
the spelling|the grammar|the name|the pronouns|the preferences|the history|the previous conversation|the consent|
the permission|the approval|the signature|the identity|the age|the location|the weather|the news|the music|the photo|
the video|the survey|the feedback|the complaint|the question|the request|the task|the next steps|the options|the risks""".replace("\n", "")

OPENERS = """always|never|do not|don't|please|you should|you must|you must not|the assistant should|the agent must|
remember to|make sure to|be sure to|try to|it is fine to|there is no need to|only|users want you to|I want you to|
I prefer that you|stop trying to|feel free to""".replace("\n", "")

LINKS = """before you|after you|when you|unless you|instead of asking whether to|rather than|and then|without being asked to|
while you|if you have to|so that they can|because customers""".replace("\n", "")

CIRCUMSTANCES = """when the user asks|if the user is angry|when the customer is frustrated|if the request is unclear|
when something fails|if the tests fail|before every release|after each call|at the start of the conversation|
at the end of the reply|in every answer|in emails|on the phone|in chat|during business hours|at night|on weekends|
in production|in code reviews|in Python|in TypeScript|in SQL|for beginners|for experts|for children|for new customers|
for large orders|for international orders|for urgent issues|within one day|within two hours|at least once|at most twice|
more than three times|under five words|over one hundred dollars|in writing|in bold|as a table|as a list|one by one|
step by step|in one sentence|in detail|without permission|with a manager's approval|if it is out of stock|
when it is late|when a payment is declined|when a deadline is near|if they ask again|for the second time""".replace("\n", "")

SITUATIONS = """the user wants|the user asks about|a customer complains about|someone mentions|the caller is worried about|
a developer is working on|the agent is preparing|the user is unhappy with|the user has already given|the request concerns|
someone reports a problem with|planning|writing|reviewing|debugging|answering a question about|choosing|comparing""".replace("\n", "")


def words_of(text: str) -> list[str]:
    return [part.strip() for part in text.split("|") if part.strip()]


def wordnet(folder: Path) -> tuple[list[str], dict[str, list[str]]]:
    """Every definition and example sentence, and the single-word lemmas of nouns and verbs."""
    sentences: list[str] = []
    lemmas: dict[str, list[str]] = {"noun": [], "verb": []}
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text("utf-8").splitlines():
            if line.startswith("  ") or " | " not in line:
                continue
            head, gloss = line.split(" | ", 1)
            fields = head.split(" ")
            count = int(fields[3], 16)
            names = [fields[4 + 2 * i] for i in range(count)]
            if part in lemmas:
                lemmas[part].extend(name.lower() for name in names if name.isalpha())
            for example in re.findall(r'"([^"]+)"', gloss):
                sentences.append(example)
            definition = re.sub(r'[;:]?\s*"[^"]*"', "", gloss).strip(" ;")
            if definition:
                sentences.append(definition)
                sentences.append(f"{names[0].replace('_', ' ')}: {definition}")
    return sentences, lemmas


def composed(count: int, nouns: list[str], verbs: list[str], rng: random.Random) -> list[str]:
    """Rules put together from the lists above; half of the slots take a common word of WordNet's instead."""
    actions, objects, openers = words_of(ACTIONS), words_of(OBJECTS), words_of(OPENERS)
    links, circumstances, situations = words_of(LINKS), words_of(CIRCUMSTANCES), words_of(SITUATIONS)

    def action() -> str:
        return rng.choice(actions) if rng.random() < 0.75 else rng.choice(verbs)

    def thing() -> str:
        if rng.random() < 0.6:
            return rng.choice(objects)
        noun = rng.choice(nouns)
        return rng.choice(("the ", "a ", "any ", "", "their ", "two ", "every ")) + noun

    def clause() -> str:
        return f"{action()} {thing()}"

    def rule() -> str:
        shape = rng.randrange(8)
        lead = rng.choice(openers) + " " if rng.random() < 0.6 else ""
        if shape == 0:
            return f"{lead}{clause()}"
        if shape == 1:
            return f"{lead}{clause()} {rng.choice(circumstances)}"
        if shape == 2:
            return f"{lead}{clause()} {rng.choice(links)} {clause()}"
        if shape == 3:
            return f"{rng.choice(situations)} {thing()}"
        if shape == 4:
            return f"when {rng.choice(situations)} {thing()}, {lead}{clause()}"
        if shape == 5:
            return f"{thing()} must be {rng.choice(('in', 'with', 'without', 'from', 'on', 'before'))} {thing()}"
        if shape == 6:
            return f"{rng.choice(circumstances)}, {lead}{clause()} and {clause()}"
        return f"{thing()} and {thing()} {rng.choice(circumstances)}"

    return [rule() for _ in range(count)]


def sentences(wordnet_folder: Path, vocabulary: list[str]) -> list[str]:
    rng = random.Random(SEED)
    glosses, lemmas = wordnet(wordnet_folder)
    common = {token for token in vocabulary[:16_000] if token.isalpha() and len(token) > 2}
    nouns = sorted({lemma for lemma in lemmas["noun"] if lemma in common})
    verbs = sorted({lemma for lemma in lemmas["verb"] if lemma in common})
    glosses = sorted({gloss for gloss in glosses if 2 < len(gloss.split()) <= MAX_WORDS})
    rng.shuffle(glosses)
    rules = composed(COMPOSED_RULES, nouns, verbs, rng)
    return sorted(set(glosses[:GLOSSES] + rules))
