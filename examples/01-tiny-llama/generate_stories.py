#!/usr/bin/env python3
"""Writes small stories from a grammar: the text tiny-llama learns from.

A story is one plot told about one cast. The cast (hero, friend, parent, toy, place, food) is drawn once and every
sentence refers to it, so a reader, or a model, has something to remember: who owns the toy, what colour it has, who
helped. Two notations make up a plot's sentences:

    {hero}      the cast's entry of that name
    [a|b|c]     one alternative; earlier ones are likelier (weight 1/rank), so that the most probable next word is
                a clear winner instead of a tie between equals
    ? at the start of a sentence: it may be left out

Some stories leave out their opening, so that a text may begin anywhere near a beginning.

The same seed gives the same stories: `generate_stories.py --count 3 --seed 1` prints three.
"""
import argparse
import random
import re

GIRLS = ["Mia", "Anna", "Lucy", "Rose", "Nora", "Emma"]
BOYS = ["Tom", "Ben", "Sam", "Max", "Leo", "Jack"]
ANIMALS = ["rabbit", "fox", "bear", "mouse", "duck"]
ANIMAL_NAMES = {"girl": ["Daisy", "Ruby", "Poppy"], "boy": ["Pip", "Bruno", "Milo"]}
PRONOUNS = {"girl": ("she", "her", "her"), "boy": ("he", "him", "his")}

# A toy, and what mends it when it breaks.
TOYS = {
    "ball": "a patch", "kite": "tape", "boat": "glue", "drum": "tape", "car": "glue",
    "doll": "a needle and thread", "hat": "a needle and thread", "train": "glue",
}
PARENTS = {"mom": "Mom", "dad": "Dad", "grandma": "Grandma"}
LIGHT_TOYS = ["kite", "hat", "ball"]  # what the wind can carry
COLOURS = ["red", "blue", "green", "yellow", "white"]
PLACES = {
    "park": "a bench", "forest": "a big tree", "garden": "a bush", "beach": "a rock", "lake": "an old boat",
    "farm": "a cart",
}
BAKED = ["a cake", "some bread", "a cookie"]
FOODS = ["an apple", "a cake", "some bread", "a carrot", "some cheese", "a cookie"]
SKILLS = {
    "swim": ("the lake", "kick with both legs"), "ride a bike": ("the park", "look ahead"),
    "climb a tree": ("the forest", "hold on tight"), "skate": ("the ice", "bend the knees"),
    "sing a song": ("the garden", "breathe slowly"),
}
HIGH = {"a tree": "a ladder", "a roof": "a long stick", "a wall": "a chair", "a high branch": "a rope"}
WEATHER = {"rain": "the sun came out", "snow": "the sky was clear", "wind": "the air was still"}

OPENINGS = [
    "Once upon a time, there was a [little|small|young] {kind} named {hero}. {He} lived in a "
    "[small|warm|white] house near the {place} with {his} {parent}.",
    "There was a [little|young|kind] {kind} named {hero}. {hero} [loved|liked] to play near the {place}.",
    "Every [day|morning], a [little|small|young] {kind} named {hero} went to the {place} with {his} {parent}.",
]

PLOTS = {
    "lost": [
        "{hero} had a {colour} {toy}. It was {his} [favorite|best] toy, and {he} took it everywhere.",
        "One day, {hero} could not find the {colour} {toy}. {He} looked under the bed, but it was not there. "
        "{He} looked behind the door, but it was not there.",
        "?{hero} was very sad and [started to cry|sat down on the floor].",
        "{friend} the {friend_kind} [heard|saw] {him} and asked, \"Why are you sad, {hero}?\" "
        "\"I lost my {colour} {toy},\" said {hero}.",
        "\"[Do not worry|Do not cry],\" said {friend}. \"I will help you.\" They walked to the {place} and looked "
        "[everywhere|for a long time].",
        "At last, {friend} saw something {colour} under {spot}. It was the {toy}! {hero} [jumped with joy|laughed and "
        "hugged {friend}].",
        "\"Thank you, {friend},\" said {hero}. \"You are a [good|true] friend.\" They played with the {colour} {toy} "
        "until it was dark.",
    ],
    "broken": [
        "{hero} got a {colour} {toy} from {his} {parent}. {He} [was very happy|loved it very much] and played with it "
        "every day.",
        "One day, {hero} ran too fast and fell. The {colour} {toy} broke. {hero} [felt very sad|started to cry].",
        "\"Oh no, my {toy} is broken!\" said {hero}. {He} went home and showed the {toy} to {his} {parent}.",
        "{His} {parent} looked at the {toy} and smiled. \"We can fix it with {fix},\" said {his} {parent}.",
        "?They sat at the table and worked [together|slowly]. {hero} held the {toy}, and {his} {parent} used {fix}.",
        "Soon the {colour} {toy} was as good as new. {hero} gave {his} {parent} a big hug. \"Thank you!\" {he} said.",
        "From that day on, {hero} was [very careful|more careful] with the {colour} {toy}.",
    ],
    "high": [
        "One day, {hero} was playing with a {colour} {toy}. A strong wind came, and the {toy} flew up and landed on {high}.",
        "{hero} jumped and jumped, but {he} could not reach it. It was too high.",
        "Then {friend} the {friend_kind} came by. \"[What is wrong|Why do you jump]?\" asked {friend}. \"My {toy} is on "
        "{high},\" said {hero}. \"I can not reach it.\"",
        "{friend} thought for a [moment|while]. \"I have an idea,\" said {friend}. \"We can use {tool}.\"",
        "They found {tool} and brought it to the {place}. {hero} held it, and {friend} went up [slowly|very carefully].",
        "{friend} got the {colour} {toy} and gave it to {hero}. \"[Hooray|We did it]!\" they said.",
        "?{hero} let {friend} play with the {toy} too. They were [best|good] friends.",
    ],
    "share": [
        "One day, {hero} had {food} for lunch. {He} sat down [near|next to] {spot} at the {place}.",
        "Then {he} saw {friend} the {friend_kind}. {friend} looked [sad and hungry|hungry and cold].",
        "\"Hello,\" said {hero}. \"Are you hungry?\" \"Yes,\" said {friend}. \"I have no food today.\"",
        "{hero} looked at the {food_name}. It was not very big, but {hero} was kind. {He} gave half of it to {friend}.",
        "\"Thank you, {hero}!\" said {friend}. They ate the {food_name} together and [told funny stories|watched the "
        "clouds].",
        "The next day, {hero} forgot {his} lunch. But {friend} came with a big basket. \"Now I will share with you,\" "
        "said {friend}.",
        "?{hero} [smiled|was very happy]. It is good to share with a friend.",
    ],
    "learn": [
        "{hero} wanted to learn to {skill}. All {his} friends could {skill}, but {hero} could not.",
        "{He} went to {where} and tried. {He} [fell down|failed], and it hurt a little. {hero} [wanted to stop|was sad].",
        "{friend} the {friend_kind} [saw|watched] {him}. \"It is hard at first,\" said {friend}. \"You must {advice}. "
        "Try again!\"",
        "So {hero} tried again. {He} remembered to {advice}. It was [better|a little better], but not good yet.",
        "?Every day {hero} and {friend} went to {where}. Every day it was a little easier.",
        "Then one morning {hero} could {skill}! \"Look at me!\" {he} called. {friend} [clapped and laughed|was very proud].",
        "?{hero} ran home and told {his} {parent}. \"I can {skill} now!\" said {hero}. {His} {parent} was proud of {him}.",
    ],
    "weather": [
        "{hero} wanted to play with {his} {colour} {toy} at the {place}. But there was too much {weather} outside.",
        "\"[It is not fair|I am so bored],\" said {hero}. {He} looked out of the window [all morning|and was sad].",
        "{His} {parent} had an idea. \"Let us make {food} together,\" said {his} {parent}.",
        "?{hero} [liked the idea|clapped]. They worked in the kitchen, and soon the house smelled very good.",
        "Then {friend} the {friend_kind} knocked at the door. {friend} was cold from the {weather}. \"Come in,\" said "
        "{hero}. \"You can have some of our {food_name}.\"",
        "They sat by the fire and ate. After lunch, the {weather} stopped and {cleared}.",
        "{hero} took the {colour} {toy}, and {he} and {friend} ran to the {place}. They played [until dinner|all afternoon].",
    ],
    "gift": [
        "It was {friend}'s birthday. {hero} wanted to give {friend} a gift, but {he} had no money.",
        "\"What can I give?\" asked {hero}. \"You can make something,\" said {his} {parent}. \"[A gift from the heart|What "
        "you make] is the best gift.\"",
        "So {hero} took some paper and made a {colour} {toy}. It took [all day|a long time].",
        "?{hero} was [afraid|not sure]. Was the {toy} good enough?",
        "{He} went to the {place} and gave the {colour} {toy} to {friend}. {friend} [smiled|laughed with joy].",
        "\"I love it!\" said {friend}. \"It is the best {toy} of all.\" They ate {food} and played together.",
    ],
    "noise": [
        "One night, {hero} heard a strange noise. {He} was afraid and [could not sleep|hid under the bed].",
        "\"{parent_name}, there is a monster outside!\" said {hero}. {His} {parent} took a light. \"Let us look together,\" "
        "said {his} {parent}.",
        "They [opened the door|went outside] and looked under {spot}. Two small eyes looked back!",
        "It was not a monster. It was {friend} the {friend_kind}. {friend} was lost and [cold|hungry].",
        "{hero} laughed. \"You are no monster,\" {he} said. {He} gave {friend} {food} and a {colour} blanket.",
        "?Soon {friend} was warm and [happy|sleepy].",
        "In the morning, {hero} and {his} {parent} took {friend} home. {hero} was not afraid [anymore|of the night anymore].",
    ],
    "helper": [
        "One day, {hero} found a tiny bird under {spot}. The bird was {colour} and could not fly.",
        "\"Poor little bird,\" said {hero}. {He} [took it home|carried it home] in {his} hat and showed it to {his} {parent}.",
        "\"It is [tired|hurt] and needs to rest,\" said {his} {parent}. {hero} made a soft bed and gave the bird water "
        "and {food}.",
        "Every day {hero} [sang to|talked to] the {colour} bird. Every day the bird was a little stronger.",
        "After a week, the bird could fly again. {hero} opened the window. \"Goodbye, little bird,\" {he} said.",
        "The next spring, {hero} got lost near the {place}. {He} was afraid. Then a {colour} bird came and sang.",
        "It was {his} bird! {hero} followed the {colour} bird, and it showed {him} the way home.",
    ],
}

ENDINGS = [
    "That night, {hero} went to bed with a [big|happy] smile.",
    "And {hero} was happy.",
    "{hero} [never forgot|always remembered] that day.",
    "It was the best day of the [year|week].",
]


def ranked(rng, items, power=1.0):
    """One item; the k-th has weight 1/k^power."""
    items = list(items)
    return rng.choices(items, weights=[(rank + 1) ** -power for rank in range(len(items))])[0]


def person(rng, taken):
    """A child or an animal whose name is not taken: name, kind, gender."""
    gender = ranked(rng, ["girl", "boy"])
    if rng.random() < 0.65:
        names, kind = (GIRLS if gender == "girl" else BOYS), gender
    else:
        names, kind = ANIMAL_NAMES[gender], ranked(rng, ANIMALS)
    return ranked(rng, [name for name in names if name not in taken]), kind, gender


def draw_cast(rng, plot):
    """Everything a story must remember, drawn once."""
    hero, kind, gender = person(rng, [])
    friend = ranked(rng, ANIMAL_NAMES["girl"] + ANIMAL_NAMES["boy"])
    if friend == hero:
        friend = "Coco"
    he, him, his = PRONOUNS[gender]
    parent = ranked(rng, PARENTS)
    place, toy, skill = ranked(rng, PLACES), ranked(rng, LIGHT_TOYS if plot == "high" else TOYS), ranked(rng, SKILLS)
    high, weather, food = ranked(rng, HIGH), ranked(rng, WEATHER), ranked(rng, BAKED if plot == "weather" else FOODS)
    return {
        "hero": hero, "kind": kind, "he": he, "him": him, "his": his, "He": he.capitalize(), "His": his.capitalize(),
        "friend": friend, "friend_kind": ranked(rng, [a for a in ANIMALS if a != kind]),
        "parent": parent, "parent_name": PARENTS[parent],
        "place": place, "spot": PLACES[place], "colour": ranked(rng, COLOURS), "toy": toy, "fix": TOYS[toy],
        "skill": skill, "where": SKILLS[skill][0], "advice": SKILLS[skill][1], "high": high, "tool": HIGH[high],
        "weather": weather, "cleared": WEATHER[weather], "food": food, "food_name": food.split()[-1],
    }


def tell(rng, sentence, cast):
    """Chooses the alternatives of a sentence, then fills in the cast."""
    chosen = re.sub(r"\[([^\[\]]*)\]", lambda match: ranked(rng, match.group(1).split("|")), sentence)
    return chosen.format(**cast)


def story(rng):
    """One story, as one line of text."""
    plot = ranked(rng, PLOTS, power=0.5)
    cast = draw_cast(rng, plot)
    sentences = [ranked(rng, OPENINGS), *PLOTS[plot], ranked(rng, ENDINGS)]
    if rng.random() < 0.3:
        sentences = sentences[1:] if rng.random() < 0.7 else sentences[2:]
    told = [sentence.lstrip("?") for sentence in sentences if sentence[0] != "?" or rng.random() < 0.6]
    return " ".join(tell(rng, sentence, cast) for sentence in told)


def stories(count, seed):
    """`count` stories; the same for the same seed."""
    rng = random.Random(seed)
    return [story(rng) for _ in range(count)]


def main():
    parser = argparse.ArgumentParser(description="prints stories, one a line")
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("\n".join(stories(options.count, options.seed)))


if __name__ == "__main__":
    main()
