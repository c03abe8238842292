"""Every page that is described once, and what the app alone has."""

from collections.abc import Mapping

from .block_page import BlockPage
from .diagonal.depth_page import DEPTH
from .diagonal.geometry_page import GEOMETRY
from .diagonal.growth_page import GROWTH
from .diagonal.modern_page import MODERN
from .diagonal.propositions_page import PROPOSITION_PAGE
from .diagonal.self_attention_page import SELF_ATTENTION
from .heads.all_heads_page import ALL_HEADS
from .heads.construct_page import CONSTRUCT
from .heads.head_worth_page import HEAD_WORTH
from .heads.one_matrix_page import ONE_MATRIX
from .heads.shared_keys_page import SHARED_KEYS
from .labs.circuit_page import TWO_LAYERS
from .labs.convolution_page import CONVOLUTION
from .labs.stiefel_page import STIEFEL
from .labs.training_page import TRAINING
from .masks.changes_page import WHAT_CHANGES
from .masks.encoder_decoder_page import ENCODER_DECODER
from .masks.workshop_page import MASK_WORKSHOP
from .practice_page import PRACTICE
from .reference.glossary_page import GLOSSARY
from .reference.questions_page import QUESTIONS
from .reference.sources_page import SOURCES
from .story.after_pages import BLOCK, NEXT_TOKEN, SEEN
from .story.cut_pages import MERGE, OUTPUT, PROJECTIONS, SPLIT
from .story.first_pages import OVERVIEW, TOKENS
from .story.mask_page import MASK
from .story.score_pages import QK_NORM, ROTARY, SCALE, SCORES
from .story.softmax_pages import MIXING, SOFTMAX
from .teach.for_teachers_page import FOR_TEACHERS
from .trained.cache import CACHE
from .trained.change_word_page import CHANGE_A_WORD
from .trained.find_head_page import FIND_A_HEAD
from .trained.trained_heads_page import TRAINED_HEADS
from .trained.whole_page import WHOLE_MODEL
from .trained.why_word import WHY_THIS_WORD
from .trained.writing import WRITING

# By URL path.
BLOCK_PAGES: Mapping[str, BlockPage] = {
    page.url_path: page
    for page in (
        *(OVERVIEW, TOKENS, PROJECTIONS, SPLIT, QK_NORM, ROTARY, SCORES, SCALE, MASK),
        *(SOFTMAX, MIXING, MERGE, OUTPUT, BLOCK, NEXT_TOKEN, SEEN),
        *(ALL_HEADS, HEAD_WORTH, SHARED_KEYS, CONSTRUCT, ONE_MATRIX),
        *(MASK_WORKSHOP, ENCODER_DECODER, WHAT_CHANGES),
        *(WHOLE_MODEL, WRITING, WHY_THIS_WORD, CACHE),
        *(TRAINED_HEADS, FIND_A_HEAD, CHANGE_A_WORD),
        *(SELF_ATTENTION, PROPOSITION_PAGE, GEOMETRY, MODERN, DEPTH, GROWTH),
        *(TRAINING, TWO_LAYERS, CONVOLUTION, STIEFEL, PRACTICE),
        *(FOR_TEACHERS, QUESTIONS, GLOSSARY, SOURCES),
    )
}
# The pages that the app alone has, and why.
IN_THE_APP = {"class": "A class meets on a server, which counts the answers of all its members."}
