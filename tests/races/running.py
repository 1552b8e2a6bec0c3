"""Runs functions in processes of their own and brings back what they return."""

import multiprocessing
import traceback

SECONDS = 110
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.races.workers", "tests.unit.runs.samples"])


def together(*calls):
    """The answers of several calls, each ``(function, *arguments)``, made at the same time."""
    answers = CONTEXT.SimpleQueue()
    processes = [
        CONTEXT.Process(target=answering, args=(answers, number, *call), daemon=True)
        for number, call in enumerate(calls)
    ]
    for process in processes:
        process.start()
    found = {}
    for _ in calls:
        number, answer, fault = answers.get()
        assert fault is None, fault
        found[number] = answer
    for process in processes:
        process.join(SECONDS)
    return [found[number] for number in range(len(calls))]


def answering(answers, number, function, *arguments):
    try:
        answers.put((number, function(*arguments), None))
    except BaseException:
        answers.put((number, None, traceback.format_exc()))
        raise


def alone(function, *arguments):
    """Run one call to its end, however that comes about; returns the exit code."""
    process = CONTEXT.Process(target=function, args=arguments, daemon=True)
    process.start()
    process.join(SECONDS)
    return process.exitcode
