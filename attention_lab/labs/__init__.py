"""What the laboratories compute: gradients and training, orthonormal weights, convolution by
attention.
"""
