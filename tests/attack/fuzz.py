"""Attack every protocol with made-up input until time is up: ``python -m attack.fuzz --seed 7 --seconds 3600``.

A round that fails is told with the arguments that repeat it alone, and ends the run with exit status 1.
"""

import argparse
import itertools
import sys
import time
import traceback
from random import Random

from support.lockstep import damaged

from attack import contracts
from attack.mutation import Mutator
from attack.targets import NAMES, target
from wireloom.backends.llvm import backend as llvm_backend
from wireloom.loops import accel


def attack(name: str, seed: str) -> None:
    """One round on the target called ``name``. The same seed is the same round."""
    random = Random(f"{seed} {name}")
    llvm_backend.PAYS = llvm_backend.KEPT_PAYS = random.choice(
        (0, 1 << 18)
    )  # so that the accelerator follows programs in both ways
    accel.WORTH.after = 0  # as if much had been read: a round is the same alone
    attacked = target(name, seed)
    parameters = random.choice(attacked.parameters)
    mutator = Mutator(attacked.pair.codec, attacked.records, parameters, random)
    records = [mutator.record() for _ in range(8)]
    capture = mutator.capture()
    contracts.engines_agree(attacked, capture, parameters, random)
    contracts.parts_agree(attacked, capture, parameters, random)
    contracts.cut_anywhere_agree(attacked, capture, parameters, random)
    contracts.batches_agree(attacked, records, parameters, random)
    contracts.comes_back(attacked, capture, parameters)
    contracts.rows_come_back(attacked, parameters, random)
    contracts.is_explained(attacked, records[0], parameters)
    if attacked.openings:
        told = {parameter.name for parameter in attacked.pair.codec.parameters if parameter.default is None}
        given = {name: value for name, value in parameters.items() if name not in told}
        header = random.choice(attacked.openings)
        for opening in (header, next(damaged(header, random, 1))):
            contracts.engines_agree(attacked, opening + capture, given, random)
            contracts.cut_anywhere_agree(attacked, opening + capture, given, random)
            contracts.comes_back(attacked, opening + capture, given)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m attack.fuzz")
    parser.add_argument("--seed", default="0", help="what all chance comes from")
    parser.add_argument("--seconds", type=float, default=60, help="how long")
    parser.add_argument("--target", choices=NAMES, help="only this protocol")
    parser.add_argument("--round", type=int, help="only this round")
    parser.add_argument("--keep-going", action="store_true", help="go on behind a failure")
    given = parser.parse_args()
    rounds = itertools.count() if given.round is None else [given.round]
    end, failed, count = time.monotonic() + given.seconds, 0, 0
    for number in rounds:
        for name in [given.target] if given.target else NAMES:
            if time.monotonic() > end:
                print(f"{count} attacks, {failed} failed")
                return 1 if failed else 0
            count += 1
            try:
                attack(name, f"{given.seed} {number}")
            except Exception:
                failed += 1
                traceback.print_exc()
                print(f"repeat it: --seed {given.seed} --target {name} --round {number}", file=sys.stderr, flush=True)
                if not given.keep_going:
                    return 1
    print(f"{count} attacks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
